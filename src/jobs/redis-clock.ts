import type { RedisClient } from "../redis/redis-client.ts";
import { keys } from "../redis/keys.ts";

/** Milliseconds between two reads of the time of Redis; in between, this process counts on. */
const trustMilliseconds = 60_000;

/** The clock of the Redis with the jobs: the same for processes that promise and processes that work. */
export interface RedisClock {
  /** Milliseconds since 1970. */
  now(): Promise<number>;
}

/** Independent of this machine's wall clock. */
export function redisClock(redis: RedisClient): RedisClock {
  let lastAnswer: Promise<{ time: number; at: number }> | undefined;
  let askedAt = -Infinity;
  const ask = async () => {
    const time = await redis.serverTime(keys.queuePrefix);
    return { time, at: performance.now() };
  };
  return {
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
