import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { followedAmong } from "../graph/follows.ts";
import { relationsTo } from "../graph/relations.ts";
import { type ConversationId, tweetId, type UserId } from "../ids.ts";
import { thoseWith } from "../members.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findUser } from "../users/store.ts";
import { marksOf, markWritten, unlistConversation, unlistLeft } from "./marks.ts";
import { conversationOf, peopleIn } from "./people.ts";

/**
 * Lists a message in its conversation, and the conversation for each of its people. A stranger's message becomes a
 * request if its user wants that. Nothing is listed for users who block or mute its author, or have left. May run twice.
 */
export async function listMessage(ctx: Ctx, message: Tweet): Promise<void> {
  const { id, author, createdAt } = message;
  const conversation = conversationOf(message);
  await exec(ctx.redis, [
    ["zadd", keys.sentMessages(author), createdAt, id],
    ["zadd", keys.conversation(conversation), createdAt, id],
  ]);
  await Promise.all(
    peopleIn(conversation).map(async (user) => listFor(ctx, user, conversation, message)),
  );
}

async function listFor(ctx: Ctx, user: UserId, id: ConversationId, message: Tweet) {
  const { author, createdAt } = message;
  const list = await listOf(ctx, user, id, message);
  if (list === undefined) return;
  await exec(ctx.redis, [
    ["zadd", keys[list](user), "GT", createdAt, id],
    ["zremrangebyrank", keys[list](user), 0, -mostOf(list) - 1],
  ]);
  if (list === "conversations") await ctx.redis.zrem(keys.messageRequests(user), id);
  if (user === author) await markWritten(ctx, user, { id, stamp: createdAt });
  // The user may have left meanwhile.
  const marks = await marksOf(ctx, user, [id]);
  if (marks(id).left > 0) await unlistLeft(ctx, user, id);
}

/** The list in which a user finds the conversation of a new message; undefined if it tells the user nothing. */
async function listOf(ctx: Ctx, user: UserId, id: ConversationId, { author, createdAt }: Tweet) {
  const [recipient, marks] = await Promise.all([findUser(ctx, user), marksOf(ctx, user, [id])]);
  const { left } = marks(id);
  if (recipient === undefined) return undefined;
  // Writing is coming back; the job may list a message once more after its author has left.
  if (user === author) return left > createdAt ? undefined : "conversations";
  const { muted, blocked } = (await relationsTo(ctx, recipient, [author]))(author);
  if (muted || blocked || left > 0) return undefined;
  const [listed, followed] = await Promise.all([
    ctx.redis.zscore(keys.conversations(user), id),
    followedAmong(ctx, user, [author]),
  ]);
  const isWelcome = recipient.messagesFrom === "everyone" || followed.has(author);
  return listed !== null || isWelcome ? "conversations" : "messageRequests";
}

/** Those of a message's people whom a notification may tell of it: it is neither a request nor in a left conversation. */
export async function hearersOf(ctx: Ctx, message: Tweet): Promise<ReadonlySet<UserId>> {
  const id = conversationOf(message);
  return await thoseWith(ctx, peopleIn(id), keys.conversations, id);
}

/** Removes a deleted message from its lists. A tombstone knows no people: a reader removes it later. May run twice. */
export async function unlistMessage(
  ctx: Ctx,
  message: Pick<Tweet, "id" | "author" | "replyTo" | "mentions">,
): Promise<void> {
  const conversation = conversationOf(message);
  await ctx.redis.zrem(keys.conversation(conversation), message.id);
  await unlistEmpty(ctx, conversation);
  await ctx.redis.zrem(keys.sentMessages(message.author), message.id);
}

/** Takes a conversation without messages from the lists of its people. A message that comes meanwhile lists it again. */
async function unlistEmpty(ctx: Ctx, id: ConversationId): Promise<void> {
  if ((await ctx.redis.exists(keys.conversation(id))) === 1) return;
  await Promise.all(peopleIn(id).map(async (user) => unlistConversation(ctx, user, id)));
  await relistConversation(ctx, id);
}

/** Lists the newest message of a conversation once more, if there is one. */
export async function relistConversation(ctx: Ctx, id: ConversationId): Promise<void> {
  const [newest] = await ctx.redis.zrange(keys.conversation(id), 0, "0", "REV");
  const message = newest && (await findTweet(ctx, tweetId(newest)));
  if (message) await listMessage(ctx, message);
}
