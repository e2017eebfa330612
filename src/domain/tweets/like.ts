import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../stamp.ts";
import { requireNoBlock } from "../users/block.ts";
import { recount } from "./counts.ts";
import { tellOfReaction } from "./notices.ts";
import { findTweet, getOriginal, getOriginalId } from "./store.ts";

export interface Like {
  user: UserId;
  tweet: TweetId;
}

/**
 * What a person likes is the truth; who likes a tweet mirrors it. The job is promised first: should
 * this process end between the two, it makes them agree. Liking twice changes nothing. Of a retweet,
 * the original is liked. Throws NotFound, Blocked.
 */
export async function likeTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { id: tweet, author } = await getOriginal(ctx, id);
  await requireNoBlock(ctx, user, author);
  const like = { user, tweet };
  await ctx.jobs.chore("settle-like", like, "later");
  const stamp = stampAt(ctx.now(), tweet);
  await ctx.redis.zadd(keys.likes(user), "NX", stamp, tweet);
  await settleLike(ctx, like);
}

/** See likeTweet. Of a tweet that is gone, too, so that a list of likes can be cleared. */
export async function unlikeTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const like = { user, tweet: await getOriginalId(ctx, id) };
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-like", like, "later"));
  await ctx.redis.zrem(keys.likes(user), like.tweet);
  await settleLike(ctx, like);
}

/** Makes everything else agree with what the person likes, which can be nothing that is gone. May run twice. */
export async function settleLike(ctx: Ctx, { user, tweet }: Like): Promise<void> {
  const found = await findTweet(ctx, tweet);
  if (found === undefined) await ctx.redis.zrem(keys.likes(user), tweet);
  const since = await ctx.redis.zscore(keys.likes(user), tweet);
  const likers = keys.tweetLikes(tweet);
  if (since === null) await ctx.redis.zrem(likers, user);
  else await ctx.redis.zadd(likers, since, user);
  const stamp = since === null ? undefined : Number(since);
  if (found !== undefined) await tellOfReaction(ctx, found, { kind: "like", actor: user, stamp });
  await recount(ctx, tweet, "likes");
}
