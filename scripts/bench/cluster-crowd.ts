import type { Ctx } from "../../src/context.ts";
import { type UserId, userId } from "../../src/domain/ids.ts";
import { execEach } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";

const atOnce = 5000;
const dayMilliseconds = 86_400_000;

/** Entries of a home timeline in use, and of how many of a hundred users: as in the other benches. */
const lengths = [
  { users: 13, entries: 127 },
  { users: 27, entries: 50 },
  { users: 60, entries: 10 },
];

export interface Crowd {
  author: UserId;
  followers: UserId[];
}

/** An author and so many followers; `nth` tells the crowds of a site apart. Written by pipelines, as verbs would take minutes. */
export async function makeCrowd(ctx: Ctx, nth: number, followers: number): Promise<Crowd> {
  const author = userId(nth + 1);
  const ids = Array.from({ length: followers }, (_, at) => userId((nth + 1) * 1_000_000 + at));
  const homes = await makeHomes(ctx);
  for (let start = 0; start < followers; start += atOnce) {
    const part = ids.slice(start, start + atOnce);
    const follows = part.flatMap((id, at) => [1.7e15 + (start + at) * 1_000_003, id]);
    await ctx.redis.zadd(keys.followers(author), ...follows);
    await execEach(ctx.redis, part, (id) => {
      const home = homes[(Number(id) * 37) % 100] ?? "";
      return ["restore", keys.homeTimeline(id), 30 * dayMilliseconds, home];
    });
  }
  return { author, followers: ids };
}

/** A hundred dumps of home timelines. */
async function makeHomes({ redis }: Ctx): Promise<Buffer[]> {
  const homes: Buffer[] = [];
  for (const { users, entries } of lengths) {
    const key = `bench:home:${entries}`;
    await redis.del(key);
    const members = Array.from({ length: entries - 1 }, (_, at) => [
      1.6e15 + at,
      900_000_000 + at * 7,
    ]);
    await redis.zadd(key, 0, "floor", ...members.flat());
    const dump = await redis.dumpBuffer(key);
    await redis.del(key);
    homes.push(...Array.from({ length: users }, () => dump));
  }
  return homes;
}

export async function countReached(
  { redis }: Ctx,
  { followers }: Crowd,
  tweet: string,
): Promise<number> {
  let reached = 0;
  for (let start = 0; start < followers.length; start += atOnce) {
    const part = followers.slice(start, start + atOnce);
    const stamps = await execEach(redis, part, (id) => ["zscore", keys.homeTimeline(id), tweet]);
    reached += stamps.filter((stamp) => stamp !== null).length;
  }
  return reached;
}
