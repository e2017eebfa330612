import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { countNewItems } from "../../domain/feeds/feeds.ts";
import { countNewReplies } from "../../domain/feeds/conversation.ts";
import { countNewInList } from "../../domain/feeds/list-feed.ts";
import type { ListId, TweetId, UserId } from "../../domain/ids.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { SseConnection } from "./sse.ts";
import type { LiveStream } from "./stream.ts";
import { Watched } from "./watched.ts";

/** A page is open, and what it shows already. */
interface OpenPage {
  user: UserId;
  session: string;
  /** Generation of the session, see User.generation. */
  generation: string;
  /** Whether the user decides on reports. */
  decides: boolean;
  /** Stamp of the newest item on the first page of home; undefined for other pages. */
  after: Stamp | undefined;
  /** The page shows the replies to this tweet, up to `after`, instead of home. */
  thread: TweetId | undefined;
  /** The page shows this list of the user instead of home. */
  list: ListId | undefined;
}

/** Numbers that are sent. Of the first three, a page shows one at most. */
type Counted = "home" | "replies" | "list" | "notifications" | "reports";

const sseOptions = { maxUnsent: 16_384, heartbeat: ":\n\n" };
/** Mean time before a page reconnects; spread, as all pages of a process leave at the same time. */
const retryMilliseconds = 3000;

/** The stream of an open page: numbers of new tweets, unread notifications and, for moderators, open reports. */
export class PageStream implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly #ctx: Ctx;
  readonly #page: OpenPage;
  readonly #connection: SseConnection;
  readonly #sent = new Map<string, number>();
  /** Watched values are read again only when they change. */
  readonly #session: Watched<Stamp | undefined>;
  readonly #unread: Watched<number>;
  readonly #news: Watched<number> | undefined;
  readonly #reports: Watched<number> | undefined;
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, page: OpenPage) {
    const { user: id, session, after, decides } = page;
    this.user = id;
    this.#ctx = ctx;
    this.#page = page;
    this.#connection = new SseConnection(res, sseOptions);
    const retry = Math.round(retryMilliseconds * (0.5 + Math.random()));
    this.#connection.write(`retry: ${retry}\n\n`);
    const changed = () => this.onChange();
    this.#session = new Watched(() => findOpenSession(ctx, id, session), changed);
    this.#unread = new Watched(async () => {
      const viewer = await findUser(ctx, id);
      return viewer === undefined ? 0 : await countUnreadGroups(ctx, viewer);
    }, changed);
    if (after !== undefined) this.#news = new Watched(() => countNews(ctx, page, after), changed);
    if (decides) this.#reports = new Watched(() => countOpenCases(ctx), changed);
  }

  isAllowed({ generation }: User): boolean | Promise<boolean> {
    if (generation !== this.#page.generation) return false;
    const opened = this.#session.get(this.#ctx.now());
    return opened instanceof Promise ? opened.then(isOpen) : isOpen(opened);
  }

  update(): void | Promise<void> {
    const now = this.#ctx.now();
    const unread = this.#unread.get(now);
    const news = this.#news?.get(now);
    const reports = this.#reports?.get(now);
    if (unread instanceof Promise || news instanceof Promise || reports instanceof Promise)
      return Promise.all([unread, news, reports]).then((counts) => this.#sendCounts(...counts));
    this.#sendCounts(unread, news, reports);
  }

  #sendCounts(unread: number, news: number | undefined, reports: number | undefined): void {
    this.#sendCount("notifications", unread);
    if (news !== undefined) this.#sendCount(newsOf(this.#page), news);
    if (reports !== undefined) this.#sendCount("reports", reports);
  }

  isDue(now: number): boolean {
    return this.#all().some((one) => one?.isDue(now) === true);
  }

  /** Unless it was the last one sent. */
  #sendCount(event: Counted, count: number): void {
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
    for (const one of this.#all()) one?.stop();
  }

  #all() {
    return [this.#session, this.#unread, this.#news, this.#reports];
  }
}

/** Name of what is new on the page. */
function newsOf({ thread, list }: OpenPage): Counted {
  if (thread !== undefined) return "replies";
  return list === undefined ? "home" : "list";
}

async function countNews(
  ctx: Ctx,
  { user: id, thread, list }: OpenPage,
  after: Stamp,
): Promise<number> {
  if (thread !== undefined) return await countNewReplies(ctx, { id }, thread, after);
  if (list !== undefined) return await countNewInList(ctx, { id }, list, after);
  return await countNewItems(ctx, { id }, after);
}

function isOpen(openedAt: Stamp | undefined): boolean {
  return openedAt !== undefined;
}
