import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { type Stamp, stampAt } from "./stamp.ts";

/** A stamp further ahead of the clock is a mistake; later tweets do not follow it. */
const maxAhead = 26 * 60 * 60 * 1e6;

const newest = new WeakMap<RedisClient, Stamp>();

/** Remembers the stamp of a tweet that this process has seen. */
export function noteStamp({ redis, now }: Pick<Ctx, "redis" | "now">, stamp: Stamp): void {
  if (stamp > (newest.get(redis) ?? 0) && stamp < now() * 1000 + maxAhead) newest.set(redis, stamp);
}

/**
 * The stamp of a new tweet: now, but above all tweets that this process has seen or made. So a clock that goes
 * back never puts a tweet below older ones.
 */
export function newStamp(ctx: Pick<Ctx, "redis" | "now">, id: string): Stamp {
  const met = newest.get(ctx.redis) ?? 0;
  const floor = met < ctx.now() * 1000 + maxAhead ? met : 0;
  let stamp = stampAt(Math.max(ctx.now(), Math.floor(floor / 1000)), id);
  // Two ids in one millisecond may end in 999 and 000.
  if (stamp <= floor) stamp += 1000;
  noteStamp(ctx, stamp);
  return stamp;
}
