import { randomUUID } from "node:crypto";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";

/** Seconds after which the lock of a process that died lapses. */
const life = 30;

/** Held by the process that changes all data: one at a time. */
export interface SiteLock {
  /** Takes the lock, or renews it; false if another process has it. */
  hold(): Promise<boolean>;
  release(): Promise<void>;
}

export function siteLock(redis: RedisClient): SiteLock {
  const token = randomUUID();
  return {
    hold: async () => (await redis.holdClaim(keys.siteLock, token, life)) === 1,
    async release() {
      await redis.releaseClaim(keys.siteLock, token);
    },
  };
}
