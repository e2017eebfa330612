import type { RedisClient } from "../redis/redis-client.ts";
import { keys } from "../redis/keys.ts";

/** Redis is asked for the time again after so long; in between, this process counts on. */
const trustMilliseconds = 60_000;

/** The time of the Redis that keeps the jobs: the same for whoever promises and whoever works. */
export interface RedisClock {
  /** Milliseconds since 1970. */
  now(): Promise<number>;
}

/** Depends on no clock of this machine that can be set. */
export function redisClock(redis: RedisClient): RedisClock {
  let known: Promise<{ time: number; at: number }> | undefined;
  let askedAt = -Infinity;
  const ask = async () => {
    const time = await redis.serverTime(keys.queuePrefix);
    return { time, at: performance.now() };
  };
  return {
    async now() {
      if (known === undefined || performance.now() - askedAt > trustMilliseconds) {
        askedAt = performance.now();
        known = ask();
      }
      try {
        const { time, at } = await known;
        return time + performance.now() - at;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}
