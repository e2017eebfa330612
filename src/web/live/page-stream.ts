import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { countNews } from "../../domain/feeds/feeds.ts";
import { countUnread } from "../../domain/notifications/grouped.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import type { User } from "../../domain/users/store.ts";
import type { LiveStream } from "./stream.ts";
import { Wire } from "./sse-connection.ts";

/** Who looks at a page, and what that page has shown already. */
export interface Looker {
  user: UserId;
  session: string;
  /** Of the session, see User.generation. */
  generation: string;
  /** Of the newest item on the first page of home; undefined for other pages. */
  after: Stamp | undefined;
}

const manners = { opening: "\n", mostUnsent: 16_384, heartbeat: ":\n\n" };

/** One open page of somebody: it is told how many things are new. */
export class PageStream implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly #ctx: Ctx;
  readonly #looker: Looker;
  readonly #wire: Wire;
  readonly #told = new Map<string, number>();

  constructor(ctx: Ctx, res: Response, looker: Looker) {
    this.user = looker.user;
    this.#ctx = ctx;
    this.#looker = looker;
    this.#wire = new Wire(res, manners);
  }

  async isAllowed({ id, generation }: User): Promise<boolean> {
    if (generation !== this.#looker.generation) return false;
    return (await findOpenSession(this.#ctx, id, this.#looker.session)) !== undefined;
  }

  async tell(viewer: User): Promise<boolean> {
    const { after } = this.#looker;
    const [unread, news] = await Promise.all([
      countUnread(this.#ctx, viewer),
      after === undefined ? undefined : countNews(this.#ctx, viewer, after),
    ]);
    this.#tellCount("notifications", unread);
    if (news !== undefined) this.#tellCount("home", news);
    return true;
  }

  /** Unless it has told that before. */
  #tellCount(event: "home" | "notifications", count: number): void {
    if (this.#told.get(event) === count) return;
    this.#told.set(event, count);
    const { after } = this.#looker;
    const id = after === undefined ? "" : `id: ${after}\n`;
    this.#wire.write(`event: ${event}\n${id}data: ${count}\n\n`);
  }

  beat(): void {
    this.#wire.beat();
  }

  end(why: "over" | "moving"): void {
    this.#wire.end(why === "over" ? "event: end\ndata: 0\n\n" : "");
  }
}
