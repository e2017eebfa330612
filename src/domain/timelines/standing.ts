import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** What an account amounts to, in numbers. */
export interface Standing {
  tweets: number;
  followers: number;
  followings: number;
  /** Stamp of the newest tweet; undefined before the first. */
  newest: Stamp | undefined;
}

/** Beside a name in a list nobody misses one follower for so long. */
const freshMilliseconds = 5000;
const peopleKept = 20_000;
const noStanding: Standing = { tweets: 0, followers: 0, followings: 0, newest: undefined };

const memories = new WeakMap<RedisClient, LRUCache<UserId, Standing>>();

/** Of each person, in one round trip or none: what this process read in the last 5 s it knows. */
export async function standingsOf(
  ctx: Ctx,
  people: Iterable<UserId>,
): Promise<Map<UserId, Standing>> {
  const memory = memoryOf(ctx);
  const standings = new Map<UserId, Standing>();
  const unknown: UserId[] = [];
  for (const id of new Set(people)) {
    const known = memory.get(id, { allowStale: false });
    if (known === undefined) unknown.push(id);
    else standings.set(id, known);
  }
  await readStandings(ctx, unknown, standings);
  return standings;
}

/** As it is this moment, which from now on is what lists in this process show as well. */
export async function findStanding(ctx: Ctx, id: UserId): Promise<Standing> {
  const standings = new Map<UserId, Standing>();
  await readStandings(ctx, [id], standings);
  return standings.get(id) ?? noStanding;
}

async function readStandings(
  ctx: Ctx,
  people: UserId[],
  into: Map<UserId, Standing>,
): Promise<void> {
  const memory = memoryOf(ctx);
  const replies = await exec(ctx.redis, people.flatMap(commandsFor));
  for (const [index, id] of people.entries()) {
    const read = toStanding(replies.slice(4 * index, 4 * index + 4));
    const before = memory.peek(id);
    // The same object for as long as nothing changes: what was made of it is kept by it.
    const standing = before !== undefined && isSame(before, read) ? before : read;
    memory.set(id, standing);
    into.set(id, standing);
  }
}

function commandsFor(id: UserId): Command[] {
  return [
    ["zcard", keys.userTimeline(id)],
    ["zcard", keys.followers(id)],
    ["zcard", keys.followings(id)],
    ["zrange", keys.userTimeline(id), 0, 0, "REV", "WITHSCORES"],
  ];
}

function toStanding([tweets, followers, followings, last]: unknown[]): Standing {
  const [, stamp] = last as string[];
  return {
    tweets: Number(tweets),
    followers: Number(followers),
    followings: Number(followings),
    newest: stamp === undefined ? undefined : Number(stamp),
  };
}

function isSame(one: Standing, other: Standing): boolean {
  return (
    one.tweets === other.tweets &&
    one.followers === other.followers &&
    one.followings === other.followings &&
    one.newest === other.newest
  );
}

function memoryOf({ redis }: Ctx): LRUCache<UserId, Standing> {
  const known = memories.get(redis);
  if (known !== undefined) return known;
  const memory = new LRUCache<UserId, Standing>({
    max: peopleKept,
    ttl: freshMilliseconds,
    allowStale: true,
    noDeleteOnStaleGet: true,
  });
  memories.set(redis, memory);
  return memory;
}
