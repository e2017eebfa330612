import type { RedisClient } from "./redis-client.ts";
import { keys } from "./keys.ts";

const sampleMilliseconds = 10_000;
/** Milliseconds. The time in a slower reply is used only if there is none yet. */
const slowReply = 100;
/** Max milliseconds between this machine's clock and Redis before a warning. */
const tolerated = 5000;

/**
 * One clock for all processes: that of the Redis node that assigns the ids of tweets. So tweets of several processes
 * are in the order of posting, and timeouts end at the same time for all, whatever the clocks of their machines
 * show. Before the first reply of Redis, this machine's clock is used. `onWrong` is called with the milliseconds by
 * which this machine's clock is wrong.
 */
export function startSiteClock(redis: RedisClient, onWrong: (milliseconds: number) => void) {
  /** Added to this process's own steady clock. */
  let offset: number | undefined;
  const sample = async () => {
    const began = performance.now();
    const serverTime = await redis.serverTime(keys.tweetIds);
    const took = performance.now() - began;
    if (took > slowReply && offset !== undefined) return;
    offset = serverTime - began - took / 2;
    const off = Date.now() - (performance.now() + offset);
    if (Math.abs(off) > tolerated) onWrong(off);
  };
  const resample = () => void sample().catch(() => {});
  const timer = setInterval(resample, sampleMilliseconds).unref();
  redis.on("ready", resample);
  return {
    /** Milliseconds since 1970. */
    now: () => Math.floor(offset === undefined ? Date.now() : performance.now() + offset),
    stop: () => clearInterval(timer),
  };
}
