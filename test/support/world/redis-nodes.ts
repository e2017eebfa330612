import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "../../../src/redis/redis-client.ts";

/** Outside a run of tests too: drills look into their own Redis. */
export function primaries(redis: RedisClient): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** Names of all keys that match, on all nodes. */
export async function findKeys(redis: RedisClient, pattern: string): Promise<string[]> {
  return (await Promise.all(primaries(redis).map((node) => node.keys(pattern)))).flat();
}
