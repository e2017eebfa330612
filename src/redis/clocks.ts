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

/** Milliseconds between two reads of the time of Redis; in between, this process counts on. */
const trustMilliseconds = 60_000;

export type RedisClock = ReturnType<typeof redisClock>;

/**
 * The clock of the Redis with the jobs: the same for processes that promise and processes that work, and independent
 * of this machine's wall clock.
 */
export function redisClock(redis: RedisClient) {
  let lastAnswer: Promise<{ time: number; at: number }> | undefined;
  let askedAt = -Infinity;
  const ask = async () => {
    const time = await redis.serverTime(keys.queuePrefix);
    return { time, at: performance.now() };
  };
  return {
    /** Milliseconds since 1970. */
    async now() {
      if (lastAnswer === undefined || performance.now() - askedAt > trustMilliseconds) {
        askedAt = performance.now();
        lastAnswer = ask();
      }
      try {
        const { time, at } = await lastAnswer;
        return time + performance.now() - at;
      } catch (error) {
        lastAnswer = undefined;
        throw error;
      }
    },
  };
}
