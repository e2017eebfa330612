import { inject } from "vitest";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import type { Address } from "../../../src/redis/client.ts";
import { primaries } from "./redis-nodes.ts";

/** Whether this run is on clusters: `npm run test:cluster`. */
export const onCluster = inject("redisClusters").length > 0;

/** Where this worker of the run has a Redis to itself: a private server, or a cluster. */
export function testAddress(): Address {
  const worker = Number(process.env["VITEST_POOL_ID"]);
  if (!onCluster) return { socket: testSocket() };
  const urls = inject("redisClusters")[worker - 1];
  if (urls === undefined) throw new Error(`no cluster for worker ${worker} of the run`);
  return { urls };
}

/** Of the private server of this worker. */
export function testSocket(): string {
  const socket = inject("redisSockets")[Number(process.env["VITEST_POOL_ID"]) - 1];
  if (socket === undefined) throw new Error("no Redis for this worker of the run");
  return socket;
}

/** Empties it, on all nodes. */
export async function emptyRedis(redis: RedisClient): Promise<void> {
  await Promise.all(primaries(redis).map((node) => node.flushdb()));
}

/** How many keys there are, on all nodes. */
export async function countKeys(redis: RedisClient): Promise<number> {
  const counts = await Promise.all(primaries(redis).map((node) => node.dbsize()));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many of these keys there are, on whichever nodes. */
export async function countOf(redis: RedisClient, ...names: string[]): Promise<number> {
  const found = await Promise.all(names.map((name) => redis.exists(name)));
  return found.reduce((sum, one) => sum + one, 0);
}

/** Removes these keys, on whichever nodes. */
export async function removeKeys(redis: RedisClient, ...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => redis.del(name)));
}

/** Changes a setting of all nodes. */
export async function configure(redis: RedisClient, name: string, value: string): Promise<void> {
  await Promise.all(primaries(redis).map((node) => node.config("SET", name, value)));
}
