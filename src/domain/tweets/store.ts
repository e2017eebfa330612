import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { areFree, noteId, withFreeIds } from "../counters.ts";
import { NotFound } from "../errors.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { noteStamp } from "../tweet-clock.ts";
import { serializeTweet, toRemains, toTweet, type Tweet, tweetFields } from "./tweet.ts";

const tweetReading: Reading<TweetId, Tweet | undefined> = {
  key: keys.tweet,
  command: ["hmget", ...tweetFields],
  parse: (reply, id) => toTweet(id, reply as (string | null)[]),
};

/** The tweet of each entry of a timeline, in one round trip or none. Undefined where there is none. */
export async function recallTweets(
  ctx: Ctx,
  entries: { id: string }[],
): Promise<(Tweet | undefined)[]> {
  // What timelines hold are ids that Suzume itself put there.
  const ids = entries.map(({ id }) => id as TweetId);
  const tweets = await ctx.memory.read(ctx.redis, tweetReading, ids);
  for (const tweet of tweets) {
    if (tweet === undefined) continue;
    noteId(ctx, "tweets", tweet.id);
    noteStamp(ctx, tweet.createdAt);
  }
  return tweets;
}

/** For jobs and downloads: as they are this moment, in one round trip, with nothing of them remembered. */
export async function readTweets(ctx: Ctx, ids: TweetId[]): Promise<(Tweet | undefined)[]> {
  const replies = await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), ...tweetFields]),
  );
  return ids.map((id, index) => toTweet(id, replies[index] as (string | null)[]));
}

export async function findTweet(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTweet(id, await ctx.redis.hmget(keys.tweet(id), ...tweetFields));
}

/** A tweet, or the tombstone of one, which still tells all but its text. */
export async function findRemains(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toRemains(id, await ctx.redis.hmget(keys.tweet(id), ...tweetFields));
}

/** The same of many, in one round trip. */
export async function readRemains(ctx: Ctx, ids: TweetId[]): Promise<(Tweet | undefined)[]> {
  const replies = await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), ...tweetFields]),
  );
  return ids.map((id, index) => toRemains(id, replies[index] as (string | null)[]));
}

/** Of those of `tweets` that exist or existed; one round trip. */
export async function findAuthors(ctx: Ctx, tweets: TweetId[]): Promise<Map<TweetId, UserId>> {
  const replies = await exec(
    ctx.redis,
    tweets.map((id) => ["hget", keys.tweet(id), "user_id"]),
  );
  const authors = new Map<TweetId, UserId>();
  for (const [index, id] of tweets.entries()) {
    const author = replies[index];
    if (typeof author === "string") authors.set(id, userId(author));
  }
  return authors;
}

/** Throws NotFound, for a deleted tweet too. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) throw new NotFound("tweet");
  return tweet;
}

/** New ids under which nothing stands. */
export async function takeFreeIds(ctx: Ctx, count: number): Promise<TweetId[]> {
  return await withFreeIds(ctx, { what: "tweets", count }, async (first) => {
    const ids = Array.from({ length: count }, (_, nth) => tweetId(first + nth));
    return (await areFree(ctx, ids.map(keys.tweet))) ? ids : undefined;
  });
}

/** Writes the whole tweet, unless it exists already, alive or as a tombstone: then false. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  return (await ctx.redis.createHash(keys.tweet(tweet.id), ...serializeTweet(tweet))) === 1;
}

/** Leaves a tombstone: readers that still meet the id see that it is gone, and nothing revives it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt: Stamp): Promise<void> {
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis.buryTweet(keys.tweet(tweet), deletedAt, seconds);
}

/** Of a retweet, what it retweets: whatever is done to a tweet is done to that. Throws NotFound. */
export async function getOriginal(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await getTweet(ctx, id);
  return tweet.retweetOf === undefined ? tweet : await getTweet(ctx, tweet.retweetOf.tweet);
}

/** The same by its id, for tweets that were deleted too. Throws NotFound for what never was. */
export async function getOriginalId(ctx: Ctx, id: TweetId): Promise<TweetId> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined) throw new NotFound("tweet");
  return remains.retweetOf?.tweet ?? id;
}
