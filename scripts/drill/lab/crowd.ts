import type { Queue } from "bullmq";
import type { Ctx } from "../../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { makePeople } from "./inside.ts";
import type { Lab } from "./lab.ts";

const atOnce = 5000;

/** For the processes of a drill: small steps, so that a fault hits the middle of a fan-out; no account counts as big. */
export const crowdSettings = { BIG_ACCOUNT_FOLLOWERS: "1000000000", FANOUT_PAGE: "100" };

/** A user with this many followers. */
export async function makeStar(
  lab: Lab,
  ctx: Ctx,
  followers: number,
): Promise<{ star: UserId; crowd: UserId[] }> {
  const [person] = await makePeople(ctx, "star", 1);
  if (person === undefined) throw new Error("no star was made");
  const crowd = await makeCrowd(ctx, person.id, followers);
  lab.say("the crowd is there");
  return { star: person.id, crowd };
}

/**
 * Followers with a home timeline each, and nothing else (the doctor would miss the rest of them):
 * written by pipelines, as verbs would take minutes.
 */
async function makeCrowd(ctx: Ctx, author: UserId, followers: number): Promise<UserId[]> {
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
