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

/** The tweet of each entry of a timeline, in one round trip or none. Undefined if there is none. */
export async function recallTweets(
  ctx: Ctx,
  entries: { id: string }[],
): Promise<(Tweet | undefined)[]> {
  // Timelines hold only ids that Suzume wrote.
  const ids = entries.map(({ id }) => id as TweetId);
  const tweets = await ctx.memory.read(ctx.redis, tweetReading, ids);
  for (const tweet of tweets) {
    if (tweet === undefined) continue;
    noteId(ctx, "tweets", tweet.id);
    noteStamp(ctx, tweet.createdAt);
  }
  return tweets;
}

/** For jobs and downloads: reads current tweets in one round trip, without caching them. */
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

/** A tweet, or its tombstone, which has everything but the text. */
export async function findRemains(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toRemains(id, await ctx.redis.hmget(keys.tweet(id), ...tweetFields));
}

/** The same for many, in one round trip. */
export async function readRemains(ctx: Ctx, ids: TweetId[]): Promise<(Tweet | undefined)[]> {
  const replies = await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), ...tweetFields]),
  );
  return ids.map((id, index) => toRemains(id, replies[index] as (string | null)[]));
}

/** Authors of existing and deleted tweets; one round trip. */
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

/** Throws NotFound, also for a deleted tweet. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) throw new NotFound("tweet");
  return tweet;
}

/** New ids without stored data. */
export async function takeFreeIds(ctx: Ctx, count: number): Promise<TweetId[]> {
  return await withFreeIds(ctx, { what: "tweets", count }, async (first) => {
    const ids = Array.from({ length: count }, (_, nth) => tweetId(first + nth));
    return (await areFree(ctx, ids.map(keys.tweet))) ? ids : undefined;
  });
}

/** Writes the whole tweet. False if it exists already, as a tweet or tombstone. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  return (await ctx.redis.createHash(keys.tweet(tweet.id), ...serializeTweet(tweet))) === 1;
}

/** Leaves a tombstone: readers that find the id see that the tweet is gone, and nothing can restore it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt: Stamp): Promise<void> {
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis.buryTweet(keys.tweet(tweet), deletedAt, seconds);
}

/** The tweet itself, or a retweet's original: every action on a retweet applies to its original. Throws NotFound. */
export async function getOriginal(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await getTweet(ctx, id);
  return tweet.retweetOf === undefined ? tweet : await getTweet(ctx, tweet.retweetOf.tweet);
}

/** The same as an id; works for deleted tweets too. Throws NotFound if it never existed. */
export async function getOriginalId(ctx: Ctx, id: TweetId): Promise<TweetId> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined) throw new NotFound("tweet");
  return remains.retweetOf?.tweet ?? id;
}
