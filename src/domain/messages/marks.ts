import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type ConversationId, type UserId, type Stamp, stampAt } from "../ids.ts";

/** How far a user is in a conversation. */
export interface Mark {
  /** Stamp of the newest message that the user has read; 0 before the first. */
  read: Stamp;
  /** When the user left; 0 for one who is there. */
  left: Stamp;
}

const leaving = "left:";

/** The user's mark of each conversation, in one round trip. */
export async function marksOf(ctx: Ctx, user: UserId, ids: readonly ConversationId[]) {
  if (ids.length === 0) return () => toMark(null);
  const values = await ctx.redis.hmget(keys.conversationMarks(user), ...ids);
  const marks = new Map(ids.map((id, nth) => [id, toMark(values[nth] ?? null)]));
  return (id: ConversationId) => marks.get(id) ?? toMark(null);
}

function toMark(value: string | null): Mark {
  if (value?.startsWith(leaving) === true)
    return { read: Infinity, left: Number(value.slice(leaving.length)) };
  return { read: Number(value ?? 0), left: 0 };
}

/** Stores that a user has read a conversation up to `stamp`. It never goes back. A left one stays left. */
export async function markConversationRead(
  ctx: Ctx,
  user: UserId,
  { id, stamp }: { id: ConversationId; stamp: Stamp },
): Promise<void> {
  // This read may come from the memory and only saves a command. Redis itself decides.
  const { read } = (await marksOf(ctx, user, [id]))(id);
  if (stamp > read)
    await ctx.redis.markConversation(keys.conversationMarks(user), id, "read", stamp);
}

/** The same for an author, who comes back by writing. */
export async function markWritten(
  ctx: Ctx,
  user: UserId,
  { id, stamp }: { id: ConversationId; stamp: Stamp },
): Promise<void> {
  await ctx.redis.markConversation(keys.conversationMarks(user), id, "written", stamp);
}

/**
 * Leaves a conversation: it is in no list, and new messages in it tell the user nothing. Without messages there is nothing
 * to leave: anyone can name any number of such conversations. May run twice.
 */
export async function leaveConversation(ctx: Ctx, user: UserId, id: ConversationId): Promise<void> {
  if ((await ctx.redis.exists(keys.conversation(id))) === 0) return;
  const stamp = stampAt(ctx.now(), user);
  await ctx.redis.markConversation(keys.conversationMarks(user), id, "left", stamp);
  await unlistLeft(ctx, user, id);
}

/** Takes a conversation that the user has left from all lists. May run twice. */
export async function unlistLeft(ctx: Ctx, user: UserId, id: ConversationId): Promise<void> {
  await ctx.redis.zrem(keys.conversations(user), id);
  await unlistConversation(ctx, user, id);
}

/**
 * Takes a conversation from the user's lists until there is a new message in it. One that the user accepted stays at
 * stamp 0, which no page reads: it does not become a request again. May run twice.
 */
export async function unlistConversation(ctx: Ctx, user: UserId, id: ConversationId) {
  // ZADD by itself is refused in a full Redis.
  await ctx.redis.addAnyway(keys.conversations(user), "XX", 0, id);
  await ctx.redis.zrem(keys.messageRequests(user), id);
}

/** Accepts a request, or goes back to a conversation that the user had left. May run twice. */
export async function joinConversation(ctx: Ctx, user: UserId, id: ConversationId): Promise<void> {
  const [, newest] = await ctx.redis.zrange(keys.conversation(id), 0, "0", "REV", "WITHSCORES");
  await ctx.redis.markConversation(keys.conversationMarks(user), id, "joined", 0);
  if (newest === undefined) return;
  // A message that came meanwhile has listed it further up.
  await ctx.redis.zadd(keys.conversations(user), "GT", newest, id);
  await ctx.redis.zrem(keys.messageRequests(user), id);
}
