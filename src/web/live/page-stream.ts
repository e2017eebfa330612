import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { countNewItems } from "../../domain/feeds/feeds.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import type { LiveStream } from "./stream.ts";
import { Wire } from "./sse-connection.ts";
import { Watched } from "./watched.ts";

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

/** An open page: it is told how many things are new. */
export class PageStream implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly #ctx: Ctx;
  readonly #looker: Looker;
  readonly #wire: Wire;
  readonly #told = new Map<string, number>();
  /** What is told, each part read again only when it changes. */
  readonly #session: Watched<Stamp | undefined>;
  readonly #unread: Watched<number>;
  readonly #news: Watched<number> | undefined;
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, looker: Looker) {
    this.user = looker.user;
    this.#ctx = ctx;
    this.#looker = looker;
    this.#wire = new Wire(res, manners);
    const { user: id, session, after } = looker;
    const changed = () => this.onChange();
    this.#session = new Watched(() => findOpenSession(ctx, id, session), changed);
    this.#unread = new Watched(async () => {
      const viewer = await findUser(ctx, id);
      return viewer === undefined ? 0 : await countUnreadGroups(ctx, viewer);
    }, changed);
    if (after !== undefined)
      this.#news = new Watched(() => countNewItems(ctx, { id }, after), changed);
  }

  async isAllowed({ generation }: User): Promise<boolean> {
    if (generation !== this.#looker.generation) return false;
    return (await this.#session.get(this.#ctx.now())) !== undefined;
  }

  async tell(): Promise<void> {
    const now = this.#ctx.now();
    const [unread, news] = await Promise.all([this.#unread.get(now), this.#news?.get(now)]);
    this.#tellCount("notifications", unread);
    if (news !== undefined) this.#tellCount("home", news);
  }

  isDue(now: number): boolean {
    return this.#session.isDue(now) || this.#unread.isDue(now) || this.#news?.isDue(now) === true;
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

  stop(): void {
    for (const one of [this.#session, this.#unread, this.#news]) one?.stop();
  }
}
