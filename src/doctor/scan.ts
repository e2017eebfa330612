import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "../redis/redis-client.ts";
import { type FoundKey, type KeyName, recognize } from "./key-kinds.ts";

/** Keys per step, about. */
const count = 2000;

/** The servers that take writes. */
export function primariesOf(redis: RedisClient): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** All keys, in batches, of one primary after the other; a key may come twice. */
export async function* scanKeys(redis: RedisClient): AsyncGenerator<string[]> {
  for (const node of primariesOf(redis)) {
    let cursor = "0";
    do {
      const [next, found] = await node.scan(cursor, "COUNT", count);
      cursor = next;
      yield found;
    } while (cursor !== "0");
  }
}

/** Approximate number of keys. */
export async function countKeys(redis: RedisClient): Promise<number> {
  const sizes = await Promise.all(primariesOf(redis).map((node) => node.dbsize()));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export interface Sorted {
  known: Map<KeyName, FoundKey[]>;
  unknown: string[];
}

/** Groups keys by kind. */
export function sortKeys(found: string[]): Sorted {
  const known = new Map<KeyName, FoundKey[]>();
  const unknown: string[] = [];
  for (const key of found) {
    const one = recognize(key);
    const alike = one && known.get(one.name);
    if (one === undefined) unknown.push(key);
    else if (alike === undefined) known.set(one.name, [one]);
    else alike.push(one);
  }
  return { known, unknown };
}
