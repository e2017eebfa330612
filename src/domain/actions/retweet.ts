import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../stamp.ts";
import { newStamp } from "../tweet-clock.ts";
import { writtenAmong } from "../timelines/store.ts";
import { requireNoBlock } from "../graph/blocks.ts";
import { recount } from "../tweets/counts.ts";
import { listTweet } from "./deliver-tweet.ts";
import { tellOfReaction } from "../notifications/tweet-notices.ts";
import {
  buryTweet,
  createTweet,
  findRemains,
  findTweet,
  getOriginal,
  getOriginalId,
  takeFreeIds,
} from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { takeOffLists } from "./unlist-tweet.ts";

/** Somebody's retweet of a tweet, of which there is one at the most. */
export interface Retweeting {
  user: UserId;
  /** The original. */
  tweet: TweetId;
}

/**
 * Retweets a tweet, or what it retweets. The person's list of retweets is the truth: it says which
 * tweet stands for the retweet, and only one can, so retweeting twice changes nothing. Once it says
 * so, the promised job does whatever this process did not come to do. Returns that tweet; undefined if it
 * was taken back meanwhile. Throws NotFound, Blocked.
 */
export async function retweet(ctx: Ctx, user: UserId, id: TweetId): Promise<TweetId | undefined> {
  const original = await getOriginal(ctx, id);
  await requireNoBlock(ctx, user, original.author);
  const retweeting = { user, tweet: original.id };
  await ctx.jobs.chore("settle-retweet", retweeting, "later");
  await claimRetweet(ctx, retweeting);
  await reconcileRetweet(ctx, retweeting);
  return await findRetweet(ctx, retweeting);
}

/** Takes back a retweet of a tweet, of a deleted one too; harmless where there is none. Throws NotFound. */
export async function unretweet(ctx: Ctx, user: UserId, tweet: TweetId): Promise<void> {
  const retweeting = { user, tweet: await getOriginalId(ctx, tweet) };
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-retweet", retweeting, "later"));
  const id = await findRetweet(ctx, retweeting);
  if (id !== undefined) await takeBack(ctx, id);
  // Also where the list names none: a failover may have lost that, and the original still names the user.
  await reconcileRetweet(ctx, retweeting);
}

/** If it was only claimed, the tombstone keeps it from being written. */
async function takeBack(ctx: Ctx, id: TweetId): Promise<void> {
  await buryTweet(ctx, id, stampAt(ctx.now(), id));
}

/** Makes everything agree with whether there is the retweet. May run twice. */
export async function reconcileRetweet(ctx: Ctx, retweeting: Retweeting): Promise<void> {
  const { user, tweet } = retweeting;
  const id = await findRetweet(ctx, retweeting);
  const original = await findTweet(ctx, tweet);
  // Of what is gone there is nothing to retweet, whoever deleted it meanwhile.
  if (id !== undefined && original === undefined) await takeBack(ctx, id);
  const alive = id && original && (await writeRetweet(ctx, retweeting, id));
  if (alive !== undefined) await listRetweet(ctx, alive);
  const retweeters = keys.tweetRetweets(tweet);
  if (alive === undefined) await ctx.redis.zrem(retweeters, user);
  else await ctx.redis.zadd(retweeters, alive.createdAt, user);
  if (original !== undefined)
    await tellOfReaction(ctx, original, { kind: "retweet", actor: user, stamp: alive?.createdAt });
  await recount(ctx, tweet, "retweets");
  if (id !== undefined && alive === undefined) await forget(ctx, retweeting, id);
}

/** Has an id stand for the retweet, unless one does that was not taken back. */
async function claimRetweet(ctx: Ctx, retweeting: Retweeting): Promise<void> {
  const { user, tweet } = retweeting;
  const known = await findRetweet(ctx, retweeting);
  if (known !== undefined) {
    if ((await writeRetweet(ctx, retweeting, known)) !== undefined) return;
    await forget(ctx, retweeting, known);
  }
  const [id = ""] = await takeFreeIds(ctx, 1);
  await ctx.redis.hsetnx(keys.retweets(user), tweet, id);
}

/** An id under which stands another tweet was given out twice: it is nobody's retweet, and is let go of. */
async function findRetweet(ctx: Ctx, { user, tweet }: Retweeting): Promise<TweetId | undefined> {
  const found = await ctx.redis.hget(keys.retweets(user), tweet);
  if (found === null) return undefined;
  const id = tweetId(found);
  const written = await findRemains(ctx, id);
  if (written === undefined || standsFor(written, { user, tweet })) return id;
  await ctx.redis.clearField(keys.retweets(user), tweet, id);
  return undefined;
}

function standsFor(written: Tweet, { user, tweet }: Retweeting): boolean {
  return written.author === user && written.retweetOf?.tweet === tweet;
}

/** The tweet that stands for the retweet, written if it was not yet; undefined once it was taken back. */
async function writeRetweet(
  ctx: Ctx,
  { user, tweet }: Retweeting,
  id: TweetId,
): Promise<Tweet | undefined> {
  const written = await findTweet(ctx, id);
  if (written !== undefined) return written;
  const original = await findRemains(ctx, tweet);
  if (original === undefined) return undefined;
  const createdAt = newStamp(ctx, id);
  const retweetOf = { tweet, author: original.author };
  await createTweet(ctx, { id, author: user, text: "", createdAt, retweetOf });
  const now = await findTweet(ctx, id);
  return now !== undefined && standsFor(now, { user, tweet }) ? now : undefined;
}

/** Promises its delivery and lists it, unless it is listed: what is was promised before. */
async function listRetweet(ctx: Ctx, written: Tweet): Promise<void> {
  const { id, author } = written;
  if ((await writtenAmong(ctx, author, [id])).length > 0) return;
  await ctx.jobs.deliverTweet(id);
  await listTweet(ctx, written);
}

/** Of a retweet that was taken back; last of all, as it is how the rest is found. */
async function forget(ctx: Ctx, { user, tweet }: Retweeting, id: TweetId): Promise<void> {
  const remains = await findRemains(ctx, id);
  if (remains !== undefined && standsFor(remains, { user, tweet }))
    await takeOffLists(ctx, remains);
  // By then another id may stand for a new retweet.
  await ctx.redis.clearField(keys.retweets(user), tweet, id);
}
