import type { RedisClient } from "./redis-client.ts";
import { keys } from "./keys.ts";

const sampleMilliseconds = 10_000;
/** A reply that took longer tells the time too vaguely, unless there is nothing better. */
const slowReply = 100;
/** So far may this machine's clock be off before its host is told. */
const tolerated = 5000;

export interface SiteClock {
  /** Milliseconds since 1970. */
  now(): number;
  stop(): void;
}

/**
 * One clock for all processes: that of the Redis node which hands out the ids of tweets. Whatever this
 * machine's clock says, or is set to meanwhile, tweets of several processes stand in the order in which
 * they came, and what ends does so for all at once. Until Redis has told the time, this machine's counts.
 * `onWrong` is told, in milliseconds, how far this machine's clock is off.
 */
export function startSiteClock(
  redis: RedisClient,
  onWrong: (milliseconds: number) => void,
): SiteClock {
  /** What to add to this process's own steady clock. */
  let offset: number | undefined;
  const sample = async () => {
    const asked = performance.now();
    const told = await redis.serverTime(keys.tweetIds);
    const took = performance.now() - asked;
    if (took > slowReply && offset !== undefined) return;
    offset = told - asked - took / 2;
    const off = Date.now() - (performance.now() + offset);
    if (Math.abs(off) > tolerated) onWrong(off);
  };
  const resample = () => void sample().catch(() => {});
  const timer = setInterval(resample, sampleMilliseconds).unref();
  redis.on("ready", resample);
  return {
    now: () => Math.floor(offset === undefined ? Date.now() : performance.now() + offset),
    stop: () => clearInterval(timer),
  };
}
