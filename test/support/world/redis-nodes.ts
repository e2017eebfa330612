import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "../../../src/redis/redis-client.ts";

/** Drills use it as well, outside of a test run. */
export function primaries(redis: RedisClient): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** Names of all keys that match, on all nodes. */
export async function findKeys(redis: RedisClient, pattern: string): Promise<string[]> {
  return (await Promise.all(primaries(redis).map((node) => node.keys(pattern)))).flat();
}
