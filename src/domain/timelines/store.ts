import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { type Entry, type Range, readEntries, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";

const globalKept = 10_000;

/** A tweet as timelines know it. */
export interface Placed {
  tweet: TweetId;
  author: UserId;
  stamp: Stamp;
}

/** Lists a tweet where its author and strangers look for it. Listing it twice is harmless. */
export async function placeTweet(ctx: Ctx, { tweet, author, stamp }: Placed): Promise<void> {
  await exec(ctx.redis, [
    ["zadd", keys.userTimeline(author), stamp, tweet],
    ["zadd", keys.globalTimeline, stamp, tweet],
    ["zremrangebyrank", keys.globalTimeline, 0, -globalKept - 1],
  ]);
}

/** Takes tweets that are gone off the lists of their author and of everybody. */
export async function displaceTweets(ctx: Ctx, gone: { tweet: TweetId; author: UserId }[]) {
  await exec(
    ctx.redis,
    gone.flatMap(({ tweet, author }) => [
      ["zrem", keys.userTimeline(author), tweet],
      ["zrem", keys.globalTimeline, tweet],
      ["zrem", keys.bigTimeline, `${tweet}:${author}`],
    ]),
  );
}

/** Takes tweets that are gone off the list of everybody's newest. */
export async function removeFromGlobal(ctx: Ctx, tweets: TweetId[]): Promise<void> {
  await ctx.redis.zrem(keys.globalTimeline, ...tweets);
}

/** Newest first: at least `limit` unless the timeline ends before. */
export async function userEntries(ctx: Ctx, author: UserId, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.userTimeline(author), range);
}

/** Of these tweets, those that stand in the author's timeline; one round trip. */
export async function writtenAmong(
  ctx: Ctx,
  author: UserId,
  tweets: TweetId[],
): Promise<TweetId[]> {
  if (tweets.length === 0) return [];
  const stamps = await ctx.redis.zmscore(keys.userTimeline(author), ...tweets);
  return tweets.filter((_, index) => stamps[index] !== null);
}

/** The newest tweets of everybody; at most 10,000 are known. */
export async function globalEntries(ctx: Ctx, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.globalTimeline, range);
}

/** A part of everybody's newest by rank, the newest having 0; both ends included. */
export async function globalPart(ctx: Ctx, first: number, last: number): Promise<Entry[]> {
  return toEntries(
    await ctx.redis.zrange(keys.globalTimeline, first, String(last), "REV", "WITHSCORES"),
  );
}

/** How many tweets the newest of everybody are. */
export async function globalLength(ctx: Ctx): Promise<number> {
  return await ctx.redis.zcard(keys.globalTimeline);
}

export async function countTweets(ctx: Ctx, author: UserId): Promise<number> {
  return await ctx.redis.zcard(keys.userTimeline(author));
}
