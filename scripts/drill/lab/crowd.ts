import type { Queue } from "bullmq";
import type { Ctx } from "../../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";

const atOnce = 5000;

/** For the processes of a drill: small, so that a fault finds a fan-out in the middle; nobody counts as a big account. */
export const crowdSettings = { BIG_ACCOUNT_FOLLOWERS: "1000000000", FANOUT_PAGE: "100" };

/**
 * Followers with a home timeline each, and nothing else (the doctor would miss the rest of them):
 * written by pipelines, as verbs would take minutes.
 */
export async function makeCrowd(ctx: Ctx, author: UserId, followers: number): Promise<UserId[]> {
  const first = (await ctx.redis.incrby(keys.userIds, followers)) - followers + 1;
  const crowd = Array.from({ length: followers }, (_, nth) => userId(first + nth));
  await inParts(crowd, async (part, start) => {
    const flat = part.flatMap((id, nth) => [start + nth + 1, id]);
    await ctx.redis.zadd(keys.followers(author), ...flat);
    await exec(
      ctx.redis,
      part.map((id) => ["zadd", keys.homeTimeline(id), 0, "floor"]),
    );
  });
  return crowd;
}

/** Followers came one stamp after the other, so progress counts them. */
export async function progressOf(spreads: Queue, tweet: TweetId): Promise<number> {
  return Number((await spreads.getJob(`tweet-${tweet}`))?.progress) || 0;
}

export async function countReached(ctx: Ctx, crowd: UserId[], tweet: TweetId): Promise<number> {
  let count = 0;
  await inParts(crowd, async (part) => {
    const stamps = await exec(
      ctx.redis,
      part.map((id) => ["zscore", keys.homeTimeline(id), tweet]),
    );
    count += stamps.filter((stamp) => stamp !== null).length;
  });
  return count;
}

/** How many tweets the homes hold, all together. */
export async function countStored(ctx: Ctx, crowd: UserId[]): Promise<number> {
  let count = 0;
  await inParts(crowd, async (part) => {
    const sizes = await exec(
      ctx.redis,
      part.map((id) => ["zcount", keys.homeTimeline(id), 1, "+inf"]),
    );
    count += sizes.reduce((sum: number, size) => sum + Number(size), 0);
  });
  return count;
}

async function inParts<Item>(
  items: Item[],
  work: (part: Item[], start: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce)
    await work(items.slice(start, start + atOnce), start);
}
