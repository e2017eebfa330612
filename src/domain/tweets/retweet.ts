import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { requireNoBlock } from "../users/block.ts";
import { touchUser } from "../users/store.ts";
import { recount } from "./counts.ts";
import { announceDeletion } from "./deletions.ts";
import { listTweet } from "./deliver.ts";
import { tellOfReaction } from "./notices.ts";
import {
  buryTweet,
  createTweet,
  findRemains,
  findTweet,
  getOriginal,
  getOriginalId,
  type Tweet,
} from "./store.ts";
import { takeOffLists } from "./take-off.ts";

/** Somebody's retweet of a tweet, of which there is one at the most. */
export interface Retweeting {
  user: UserId;
  /** The original. */
  tweet: TweetId;
}

/**
 * Retweets a tweet, or what it retweets. The person's list of retweets says which tweet stands for it,
 * and only one can: retweeting twice changes nothing. Throws NotFound,
 * Blocked.
 */
export async function retweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const original = await getOriginal(ctx, id);
  await requireNoBlock(ctx, user, original.author);
  const retweeting = { user, tweet: original.id };
  await ctx.jobs.settleRetweet(retweeting);
  const claimed = await claimRetweet(ctx, retweeting);
  const stands: Tweet = {
    id: claimed,
    author: user,
    text: "",
    createdAt: stampAt(ctx.now(), claimed),
    retweetOf: { tweet: original.id, author: original.author },
  };
  await createTweet(ctx, stands);
  const written = await findTweet(ctx, claimed);
  if (written !== undefined) {
    await ctx.jobs.deliverTweet(claimed);
    await listTweet(ctx, written);
  }
  await settleRetweet(ctx, retweeting);
}

/** Takes back a retweet of a tweet, of a deleted one too; harmless where there is none. Throws NotFound. */
export async function unretweet(ctx: Ctx, user: UserId, tweet: TweetId): Promise<void> {
  const retweeting = { user, tweet: await getOriginalId(ctx, tweet) };
  await ctx.jobs.settleRetweet(retweeting);
  const id = await findRetweet(ctx, retweeting);
  if (id === undefined) return;
  await announceDeletion(ctx, id);
  await buryTweet(ctx, id, stampAt(ctx.now(), id));
  await settleRetweet(ctx, retweeting);
  await ctx.redis.hdel(keys.retweets(user), retweeting.tweet);
}

/** Makes everything agree with whether the retweet is alive. May run twice. */
export async function settleRetweet(ctx: Ctx, retweeting: Retweeting): Promise<void> {
  const { user, tweet } = retweeting;
  const id = await findRetweet(ctx, retweeting);
  const alive = id === undefined ? undefined : await findTweet(ctx, id);
  const retweeters = keys.tweetRetweets(tweet);
  const original = await findTweet(ctx, tweet);
  const isThere = alive !== undefined && original !== undefined;
  if (isThere) await ctx.redis.zadd(retweeters, alive.createdAt, user);
  else await ctx.redis.zrem(retweeters, user);
  if (original !== undefined)
    await tellOfReaction(ctx, original, { kind: "retweet", actor: user, stamp: alive?.createdAt });
  await recount(ctx, tweet, "retweets");
  if (id !== undefined && alive === undefined) await forget(ctx, retweeting, id);
  await touchUser(ctx, user);
}

/**
 * Of a retweet that was taken back; last of all, as it is how the rest is found. One that was claimed
 * and is not written yet is somebody's who is just doing that.
 */
async function forget(ctx: Ctx, { user, tweet }: Retweeting, id: TweetId): Promise<void> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined) return;
  await takeOffLists(ctx, remains);
  await ctx.redis.hdel(keys.retweets(user), tweet);
}

/** The id of a new retweet; of the one that there is, if there is one. */
async function claimRetweet(ctx: Ctx, retweeting: Retweeting): Promise<TweetId> {
  const { user, tweet } = retweeting;
  const known = await findRetweet(ctx, retweeting);
  if (known !== undefined) return known;
  const id = tweetId(await ctx.redis.incr(keys.tweetIds));
  await ctx.redis.hsetnx(keys.retweets(user), tweet, id);
  return (await findRetweet(ctx, retweeting)) ?? id;
}

async function findRetweet(ctx: Ctx, { user, tweet }: Retweeting): Promise<TweetId | undefined> {
  const id = await ctx.redis.hget(keys.retweets(user), tweet);
  return id === null ? undefined : tweetId(id);
}
