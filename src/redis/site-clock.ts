import type { RedisClient } from "./redis-client.ts";
import { keys } from "./keys.ts";

const sampleMilliseconds = 10_000;
/** A reply that took more milliseconds is too inexact, unless there is no better one. */
const slowReply = 100;
/** Max milliseconds between this machine's clock and Redis before a warning. */
const tolerated = 5000;

interface SiteClock {
  /** Milliseconds since 1970. */
  now(): number;
  stop(): void;
}

/**
 * One clock for all processes: that of the Redis node that gives out the ids of tweets. Whatever this
 * machine's clock says, or is set to meanwhile, tweets of several processes are in the order of posting, and
 * timeouts end for all at once. Until Redis has answered, this machine's clock counts. `onWrong` is called
 * with the milliseconds by which this machine's clock is wrong.
 */
export function startSiteClock(
  redis: RedisClient,
  onWrong: (milliseconds: number) => void,
): SiteClock {
  /** Added to this process's own steady clock. */
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
