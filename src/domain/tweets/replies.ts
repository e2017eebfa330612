import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { recount } from "./counts.ts";
import type { Tweet } from "./tweet.ts";

/** Lists a reply under the tweet that it answers, if it is one. Listing it twice is harmless. */
export async function listReply(ctx: Ctx, { id, createdAt, replyTo }: Tweet): Promise<void> {
  if (replyTo === undefined) return;
  await ctx.redis.zadd(keys.tweetReplies(replyTo.tweet), createdAt, id);
  await recount(ctx, replyTo.tweet, "replies");
}

/** The opposite, for one that is gone. */
export async function unlistReply(ctx: Ctx, { id, replyTo }: Tweet): Promise<void> {
  if (replyTo === undefined) return;
  await ctx.redis.zrem(keys.tweetReplies(replyTo.tweet), id);
  await recount(ctx, replyTo.tweet, "replies");
}
