import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId } from "../ids.ts";
import { recount } from "./counts.ts";
import { findTweet } from "./store.ts";
import type { Tweet } from "./tweet.ts";

/** Lists a reply under the tweet that it answers; does nothing for other tweets. May run twice. */
export async function listReply(ctx: Ctx, { id, createdAt, replyTo }: Tweet): Promise<void> {
  if (replyTo === undefined) return;
  await ctx.redis.zadd(keys.tweetReplies(replyTo.tweet), createdAt, id);
  await recount(ctx, replyTo.tweet, "replies");
  if ((await findTweet(ctx, replyTo.tweet)) === undefined) await limitReplies(ctx, replyTo.tweet);
}

/** Keeps the list of replies to a deleted tweet for as long as its tombstone. */
export async function limitReplies(ctx: Ctx, deleted: TweetId): Promise<void> {
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis.expire(keys.tweetReplies(deleted), seconds);
}

/** Removes a deleted reply from that list. */
export async function unlistReply(ctx: Ctx, { id, replyTo }: Tweet): Promise<void> {
  if (replyTo === undefined) return;
  await ctx.redis.zrem(keys.tweetReplies(replyTo.tweet), id);
  await recount(ctx, replyTo.tweet, "replies");
}
