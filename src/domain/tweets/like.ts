import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/notify.ts";
import { stampAt } from "../stamp.ts";
import { touchUser } from "../users/store.ts";
import { recount } from "./counts.ts";
import { findTweet, getTweet } from "./store.ts";

export interface Like {
  user: UserId;
  tweet: TweetId;
}

/**
 * What a person likes is the truth; who likes a tweet mirrors it. The job is promised first: should
 * this process end between the two, it makes them agree. Liking twice changes nothing. Throws NotFound.
 */
export async function likeTweet(ctx: Ctx, like: Like): Promise<void> {
  await getTweet(ctx, like.tweet);
  await ctx.jobs.settleLike(like);
  const stamp = stampAt(ctx.now(), like.tweet);
  await ctx.redis.zadd(keys.likes(like.user), "NX", stamp, like.tweet);
  await settleLike(ctx, like);
}

/** See likeTweet. Of a tweet that is gone, too, so that a list of likes can be cleared. */
export async function unlikeTweet(ctx: Ctx, like: Like): Promise<void> {
  await ctx.jobs.settleLike(like);
  await ctx.redis.zrem(keys.likes(like.user), like.tweet);
  await settleLike(ctx, like);
}

/** Makes everything else agree with what the person likes. May run twice. */
export async function settleLike(ctx: Ctx, { user, tweet }: Like): Promise<void> {
  const since = await ctx.redis.zscore(keys.likes(user), tweet);
  const likers = keys.tweetLikes(tweet);
  const found = await findTweet(ctx, tweet);
  if (since === null || found === undefined) await ctx.redis.zrem(likers, user);
  else await ctx.redis.zadd(likers, since, user);
  await noticeLike(ctx, { user, tweet }, { author: found?.author, since });
  await recount(ctx, tweet, "likes");
  await touchUser(ctx, user);
}

async function noticeLike(
  ctx: Ctx,
  { user: actor, tweet }: Like,
  { author: to, since }: { author: UserId | undefined; since: string | null },
): Promise<void> {
  if (to === undefined) return;
  const notice: Notice = { to, kind: "like", tweet, actor };
  if (since === null) await retract(ctx, notice);
  else await notify(ctx, { ...notice, stamp: Number(since) });
}
