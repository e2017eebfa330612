import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { countNewItems } from "../../domain/feeds/feeds.ts";
import type { UserId } from "../../domain/ids.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { SseConnection } from "./sse-connection.ts";
import type { LiveStream } from "./stream.ts";
import { Watched } from "./watched.ts";

/** AuthorFilter page is open, and what it shows already. */
export interface OpenPage {
  user: UserId;
  session: string;
  /** Of the session, see User.generation. */
  generation: string;
  /** Stamp of the newest item on the first page of home; undefined for other pages. */
  after: Stamp | undefined;
}

const sseOptions = { opening: "\n", maxUnsent: 16_384, heartbeat: ":\n\n" };

/** The stream of an open page: the numbers of new tweets and of unread notifications. */
export class PageStream implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly #ctx: Ctx;
  readonly #page: OpenPage;
  readonly #connection: SseConnection;
  readonly #sent = new Map<string, number>();
  /** Each is read again only when it changes. */
  readonly #session: Watched<Stamp | undefined>;
  readonly #unread: Watched<number>;
  readonly #news: Watched<number> | undefined;
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, page: OpenPage) {
    const { user: id, session, after } = page;
    this.user = id;
    this.#ctx = ctx;
    this.#page = page;
    this.#connection = new SseConnection(res, sseOptions);
    const changed = () => this.onChange();
    this.#session = new Watched(() => findOpenSession(ctx, id, session), changed);
    this.#unread = new Watched(async () => {
      const viewer = await findUser(ctx, id);
      return viewer === undefined ? 0 : await countUnreadGroups(ctx, viewer);
    }, changed);
    if (after !== undefined)
      this.#news = new Watched(() => countNewItems(ctx, { id }, after), changed);
  }

  isAllowed({ generation }: User): boolean | Promise<boolean> {
    if (generation !== this.#page.generation) return false;
    const opened = this.#session.get(this.#ctx.now());
    return opened instanceof Promise ? opened.then(isOpen) : isOpen(opened);
  }

  update(): void | Promise<void> {
    const now = this.#ctx.now();
    const [unread, news] = [this.#unread.get(now), this.#news?.get(now)];
    if (unread instanceof Promise || news instanceof Promise)
      return Promise.all([unread, news]).then((counts) => this.#sendCounts(...counts));
    this.#sendCounts(unread, news);
  }

  #sendCounts(unread: number, news: number | undefined): void {
    this.#sendCount("notifications", unread);
    if (news !== undefined) this.#sendCount("home", news);
  }

  isDue(now: number): boolean {
    return this.#session.isDue(now) || this.#unread.isDue(now) || this.#news?.isDue(now) === true;
  }

  /** Unless it was the last one sent. */
  #sendCount(event: "home" | "notifications", count: number): void {
    if (this.#sent.get(event) === count) return;
    this.#sent.set(event, count);
    const { after } = this.#page;
    const id = after === undefined ? "" : `id: ${after}\n`;
    this.#connection.write(`event: ${event}\n${id}data: ${count}\n\n`);
  }

  beat(): void {
    this.#connection.beat();
  }

  end(why: "over" | "moving"): void {
    this.#connection.end(why === "over" ? "event: end\ndata: 0\n\n" : "");
  }

  stop(): void {
    for (const one of [this.#session, this.#unread, this.#news]) one?.stop();
  }
}

function isOpen(openedAt: Stamp | undefined): boolean {
  return openedAt !== undefined;
}
