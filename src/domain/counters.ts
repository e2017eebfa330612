import type { Ctx } from "../context.ts";
import { exec, execEach } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { Unavailable } from "./errors.ts";
import { toEntries } from "./page.ts";
import { perClient } from "./memo.ts";
import { type Stamp, stampAt } from "./ids.ts";

/**
 * A counter may go back: a replica that lagged takes over, or a file is restored. So each process remembers
 * the highest id that it has seen, and takes no lower one. If a counter was behind, `skipped` more ids are
 * left out: lists on other nodes may still contain them.
 */
const counters = {
  users: { key: keys.userIds, skipped: 20 },
  tweets: { key: keys.tweetIds, skipped: 1000 },
  apps: { key: keys.appIds, skipped: 0 },
} as const;

type Counter = keyof typeof counters;

/** The highest ids, and the newest stamp of a tweet, that this process has seen. */
const highest = perClient(() => ({ users: 0, tweets: 0, apps: 0, stamp: 0 }));
/** Steps over taken ids double: this is enough to pass 10 million. */
const triesAtMost = 30;
const largestStep = 2 ** 20;
/** Entries of each list that are read, see raiseCounters. */
const newestLooked = 100;

/** The first of `count` ids above all that this process has seen. */
export async function takeIds(ctx: Ctx, what: Counter, count = 1): Promise<number> {
  const { key, skipped } = counters[what];
  const last = await ctx.redis.takeIds(key, highest(ctx)[what], count, skipped);
  noteId(ctx, what, last);
  return last - count + 1;
}

/** Remembers an id that was given out by any process. */
export function noteId(ctx: Ctx, what: Counter, id: string | number): void {
  const highestIds = highest(ctx);
  highestIds[what] = Math.max(highestIds[what], Number(id));
}

/** Result of `claim` for the first free id; it gives undefined for a taken one. Throws Unavailable if all are taken. */
export async function withFreeIds<Result>(
  ctx: Ctx,
  { what, count = 1 }: { what: Counter; count?: number },
  claim: (first: number) => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const first = await takeIds(ctx, what, count);
    const claimed = await claim(first);
    if (claimed !== undefined) return claimed;
    noteId(ctx, what, first + count - 1 + Math.min(2 ** tries, largestStep));
  }
  throw new Unavailable(`ids of ${what}`);
}

/** Whether none of these keys exists; one round trip. */
export async function areFree({ redis }: Ctx, unused: string[]): Promise<boolean> {
  const replies = await execEach(redis, unused, (key) => ["exists", key]);
  return replies.every((count) => count === 0);
}

/** Raises the counters and the clock of tweets above the newest entries of lists, as after a failover. */
export async function raiseCounters(ctx: Ctx): Promise<void> {
  const newest = [0, newestLooked - 1, "REV"] as const;
  const [people, tweets, big] = (await exec(ctx.redis, [
    ["zrange", keys.newestUsers, ...newest],
    ["zrange", keys.globalTimeline, ...newest, "WITHSCORES"],
    ["zrange", keys.bigTimeline, ...newest, "WITHSCORES"],
  ])) as string[][];
  for (const id of people ?? []) noteId(ctx, "users", id);
  for (const { id: member, stamp } of [...toEntries(tweets ?? []), ...toEntries(big ?? [])]) {
    // Members of the big timeline contain more than the id, and one is the floor.
    noteId(ctx, "tweets", Number.parseInt(member, 10) || 0);
    noteStamp(ctx, stamp);
  }
  for (const what of Object.keys(counters) as Counter[])
    if (highest(ctx)[what] > 0) await takeIds(ctx, what, 0);
}

/** A stamp further ahead of the clock is a mistake; later tweets do not follow it. */
const maxAhead = 26 * 60 * 60 * 1e6;

/** Remembers the stamp of a tweet that this process has seen. */
export function noteStamp(ctx: Pick<Ctx, "redis" | "now">, stamp: Stamp): void {
  const highestIds = highest(ctx);
  if (stamp > highestIds.stamp && stamp < ctx.now() * 1000 + maxAhead) highestIds.stamp = stamp;
}

/** The stamp of a new tweet: now, but above all that this process has seen or made, even if the clock goes back. */
export function newStamp(ctx: Pick<Ctx, "redis" | "now">, id: string): Stamp {
  const { stamp: newest } = highest(ctx);
  const floor = newest < ctx.now() * 1000 + maxAhead ? newest : 0;
  let stamp = stampAt(Math.max(ctx.now(), Math.floor(floor / 1000)), id);
  // Two ids in one millisecond may end in 999 and 000.
  if (stamp <= floor) stamp += 1000;
  noteStamp(ctx, stamp);
  return stamp;
}
