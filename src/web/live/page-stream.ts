import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { countNewInList, countNewItems } from "../../domain/feeds/feeds.ts";
import { countNewReplies } from "../../domain/feeds/conversation.ts";
import type { ConversationId, ListId, TweetId, UserId, Stamp } from "../../domain/ids.ts";
import { countNewMessages, countUnreadConversations } from "../../domain/messages/conversations.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import { isModerator } from "../../domain/users/roles.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import type { LiveStream, MayHear } from "./hub.ts";
import { Watched } from "./watched.ts";
import { SseConnection } from "./wires.ts";

/** A page is open, and what it shows already. */
interface OpenPage {
  user: UserId;
  session: string;
  /** Generation of the session, see User.generation. */
  generation: string;
  /** Whether the user decided on reports when the page was opened. */
  decides: boolean;
  /** Stamp of the newest item on the first page of home; undefined for other pages. */
  after: Stamp | undefined;
  /** The page shows the replies to this tweet, up to `after`, instead of home. */
  thread: TweetId | undefined;
  /** The page shows this list of the user instead of home. */
  list: ListId | undefined;
  /** The page shows this conversation of the user instead of home. */
  conversation: ConversationId | undefined;
}

/** A number that is sent. It is read again only when it changes. */
interface Count {
  event: "home" | "replies" | "list" | "conversation" | "notifications" | "messages" | "reports";
  value: Watched<number>;
  sent?: number;
}

const sseOptions = { maxUnsent: 16_384, heartbeat: ":\n\n", farewell: "event: end\ndata: 0\n\n" };
/** Mean time before a page reconnects; spread, as all pages of a process leave at the same time. */
const retryMilliseconds = 3000;

/** The stream of an open page: numbers of new tweets, of what is unread and, for moderators, of open reports. */
export class PageStream implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly wire: SseConnection;
  readonly #ctx: Ctx;
  readonly #page: OpenPage;
  readonly #isOpen: Watched<boolean>;
  readonly #counts: Count[] = [];
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, page: OpenPage) {
    const { user: id, session, after, decides } = page;
    this.user = id;
    this.#ctx = ctx;
    this.#page = page;
    this.wire = new SseConnection(res, sseOptions);
    const retry = Math.round(retryMilliseconds * (0.5 + Math.random()));
    this.wire.write(`retry: ${retry}\n\n`);
    const watch = <Value>(read: () => Promise<Value>) => new Watched(read, () => this.onChange());
    const countFor = (count: (viewer: User) => number | Promise<number>) => async () => {
      const viewer = await findUser(ctx, id);
      return viewer === undefined ? 0 : await count(viewer);
    };
    this.#isOpen = watch(async () => (await findOpenSession(ctx, id, session)) !== undefined);
    const add = (event: Count["event"], count: () => Promise<number>) =>
      this.#counts.push({ event, value: watch(count) });
    const countUnread = (viewer: User) => countUnreadGroups(ctx, viewer);
    add("notifications", countFor(countUnread));
    add("messages", () => countUnreadConversations(ctx, { id }));
    if (after !== undefined) add(...newsOf(ctx, page, after));
    // The role may end before the page does.
    const countCases = (viewer: User) => (isModerator(ctx, viewer) ? countOpenCases(ctx) : 0);
    if (decides) add("reports", countFor(countCases));
  }

  isAllowed({ generation }: User): boolean | Promise<boolean> {
    return generation === this.#page.generation && this.#isOpen.get(this.#ctx.now());
  }

  update(mayHear: MayHear): void | Promise<void> {
    const now = this.#ctx.now();
    const counts = this.#counts.map(({ value }) => value.get(now));
    if (counts.every((count) => typeof count === "number")) this.#send(counts);
    else return this.#sendOnceRead(counts, mayHear);
  }

  async #sendOnceRead(reads: (number | Promise<number>)[], mayHear: MayHear): Promise<void> {
    const counts = await Promise.all(reads.map(async (count) => await count));
    const isNew = this.#counts.some(({ sent }, nth) => sent !== counts[nth]);
    if (isNew && (await mayHear())) this.#send(counts);
  }

  /** Those that are not the last ones sent. */
  #send(counts: number[]): void {
    const { after } = this.#page;
    const id = after === undefined ? "" : `id: ${after}\n`;
    for (const [nth, count] of this.#counts.entries()) {
      if (count.sent === counts[nth]) continue;
      count.sent = counts[nth] as number;
      this.wire.write(`event: ${count.event}\n${id}data: ${count.sent}\n\n`);
    }
  }

  isDue(now: number): boolean {
    return this.#isOpen.isDue(now) || this.#counts.some(({ value }) => value.isDue(now));
  }

  stop(): void {
    this.#isOpen.stop();
    for (const { value } of this.#counts) value.stop();
  }
}

/** What is new on the page: its name, and how to count it. */
function newsOf(
  ctx: Ctx,
  { user: id, thread, list, conversation }: OpenPage,
  after: Stamp,
): [Count["event"], () => Promise<number>] {
  if (conversation !== undefined)
    return ["conversation", () => countNewMessages(ctx, { id }, conversation, after)];
  if (thread !== undefined) return ["replies", () => countNewReplies(ctx, { id }, thread, after)];
  if (list !== undefined) return ["list", () => countNewInList(ctx, { id }, list, after)];
  return ["home", () => countNewItems(ctx, { id }, after)];
}
