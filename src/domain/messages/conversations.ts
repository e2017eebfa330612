import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { NotFound, required } from "../errors.ts";
import { readVisibleItems } from "../feeds/feed-items.ts";
import { listSource, readFeed } from "../feeds/read-feed.ts";
import type { FeedItem, FeedPage, FeedPart } from "../feeds/types.ts";
import { fillPage } from "../graph/people-lists.ts";
import { visiblePeople, type Viewer } from "../graph/relations.ts";
import type { ConversationId, Stamp } from "../ids.ts";
import { type Entry, type ListRange, type Page, readPage, toEntries } from "../page.ts";
import { findUsers, type User } from "../users/store.ts";
import { marksOf } from "./marks.ts";
import { parseConversation, peopleIn } from "./people.ts";

/** Max conversations whose unread messages are counted: the newest. */
const mostCounted = 100;
/** Messages of a conversation that are read until a visible one is found: at first, and then. */
const looked = [1, 50, 500];

export interface ConversationItem {
  id: ConversationId;
  /** Its people, without the viewer and those hidden from the viewer. */
  people: User[];
  /** The newest message that the viewer may and wants to see. */
  item: FeedItem;
  unread: boolean;
  /** Stamp of its newest message. */
  stamp: Stamp;
}

/** The viewer's conversations or requests, newest first, as far as there is a message that the viewer sees. */
export async function conversationsPage(
  ctx: Ctx,
  viewer: Viewer,
  { list = "conversations", ...range }: ListRange & { list?: "conversations" | "messageRequests" },
): Promise<Page<ConversationItem>> {
  const key = keys[list](viewer.id);
  const read = (part: Parameters<typeof readPage>[2]) => readPage(ctx.redis, key, part);
  return await fillPage(range, read, (entries) => toItems(ctx, viewer, entries));
}

/** One of the conversations, not of the requests. Undefined if it is not listed, or hidden. */
export async function findConversationItem(ctx: Ctx, viewer: Viewer, id: ConversationId) {
  const stamp = Number(await ctx.redis.zscore(keys.conversations(viewer.id), id));
  if (stamp === 0) return undefined;
  const [item] = await toItems(ctx, viewer, [{ id, stamp }]);
  return item;
}

async function toItems(ctx: Ctx, viewer: Viewer, entries: Entry[]): Promise<ConversationItem[]> {
  const ids = entries.map(({ id }) => id as ConversationId);
  const [markOf, newest, users] = await Promise.all([
    marksOf(ctx, viewer.id, ids),
    newestMessages(ctx, viewer, ids),
    findUsers(ctx, ids.flatMap(peopleIn)),
  ]);
  const shown = new Set(await visiblePeople(ctx, viewer, [...users.values()]));
  return ids.flatMap((id, nth): ConversationItem[] => {
    const item = newest.get(id);
    const { read, left } = markOf(id);
    if (item === undefined || left > 0) return [];
    const people = peopleIn(id).flatMap((person) => users.get(person) ?? []);
    const others = people.filter((user) => user.id !== viewer.id && shown.has(user));
    // Its page is not there either, unless the viewer writes to nobody else.
    if (others.length === 0 && peopleIn(id).length > 1) return [];
    const unread = item.tweet.createdAt > read;
    return [{ id, people: others, item, unread, stamp: entries[nth]?.stamp ?? 0 }];
  });
}

/** The newest message of each conversation that the viewer may and wants to see. */
async function newestMessages(ctx: Ctx, viewer: Viewer, ids: ConversationId[]) {
  const newest = new Map<ConversationId, FeedItem>();
  let open = ids;
  for (const count of looked) {
    const ends = [0, count - 1, "REV", "WITHSCORES"];
    const lists = open.map((id) => keys.conversation(id));
    const replies = await execEach(ctx.redis, lists, (list) => ["zrange", list, ...ends]);
    const entries = replies.map((reply) => toEntries(reply as string[]));
    const items = await readVisibleItems(ctx, viewer, entries.flat(), { context: "thread" });
    const byId = new Map(items.map((item) => [String(item.tweet.id), item]));
    for (const [nth, id] of open.entries()) {
      const item = entries[nth]?.map((entry) => byId.get(entry.id)).find(Boolean);
      if (item !== undefined) newest.set(id, item);
    }
    open = open.filter((id, nth) => !newest.has(id) && entries[nth]?.length === count);
    if (open.length === 0) break;
  }
  return newest;
}

/** Number of the viewer's conversations with an unread message that the viewer may and wants to see. */
export async function countUnreadConversations(ctx: Ctx, viewer: Viewer): Promise<number> {
  const ends = [0, String(mostCounted - 1), "REV", "WITHSCORES"] as const;
  const entries = toEntries(await ctx.redis.zrange(keys.conversations(viewer.id), ...ends));
  const ids = entries.map(({ id }) => id as ConversationId);
  const markOf = await marksOf(ctx, viewer.id, ids);
  const newer = ids.filter((id, nth) => (entries[nth]?.stamp ?? 0) > markOf(id).read);
  const newest = await newestMessages(ctx, viewer, newer);
  return [...newest].filter(([id, { tweet }]) => tweet.createdAt > markOf(id).read).length;
}

/** A conversation of the viewer; there may be no message in it yet. */
export interface Conversation extends Pick<ConversationItem, "id" | "people"> {
  /** The viewer has not accepted it. */
  isRequest: boolean;
  hasLeft: boolean;
  /** Stamp of the newest message that the viewer has read. */
  read: Stamp;
  /** People who are hidden from the viewer. They can read the messages, too. */
  hidden: User[];
}

/** Throws NotFound if the viewer is none of its people, sees none of the others, or has no messages to nobody. */
export async function getConversation(
  ctx: Ctx,
  viewer: Viewer,
  raw: string,
): Promise<Conversation> {
  const id = required(parseConversation(raw, viewer.id), "conversation");
  const others = peopleIn(id).filter((person) => person !== viewer.id);
  const [users, markOf, requested, hasMessages] = await Promise.all([
    findUsers(ctx, others),
    marksOf(ctx, viewer.id, [id]),
    ctx.redis.zscore(keys.messageRequests(viewer.id), id),
    ctx.redis.exists(keys.conversation(id)),
  ]);
  const people = await visiblePeople(ctx, viewer, [...users.values()]);
  const isThere = others.length === 0 ? hasMessages === 1 : people.length > 0;
  if (!isThere) throw new NotFound("conversation");
  const { read, left } = markOf(id);
  const shown = new Set(people);
  const hidden = [...users.values()].filter((user) => !shown.has(user));
  return { id, people, hidden, isRequest: requested !== null, hasLeft: left > 0, read };
}

/** The messages of a conversation that the viewer may and wants to see, newest first. */
export async function messagesFeed(
  ctx: Ctx,
  viewer: Viewer,
  id: ConversationId,
  part: FeedPart = {},
): Promise<FeedPage> {
  const source = listSource(ctx, keys.conversation(id));
  return await readFeed(ctx, { viewer, context: "thread", ...part }, source);
}

/** Number of messages by others after the stamp `after`, on the first page. */
export async function countNewMessages(ctx: Ctx, viewer: Viewer, id: ConversationId, after: Stamp) {
  const { items } = await messagesFeed(ctx, viewer, id, { after });
  return items.filter(({ tweet }) => tweet.author !== viewer.id).length;
}
