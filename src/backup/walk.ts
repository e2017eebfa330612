import type { Redis } from "ioredis";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { userId, tweetId } from "../domain/ids.ts";
import type { Entry } from "./bytes.ts";

/** Keys of one step, about. */
const count = 200;

/** Ids that were given out before a walk began; `parts` of what is younger may be missing in it. */
export interface Known {
  users: number;
  tweets: number;
}

export async function knownIds(redis: RedisClient): Promise<Known> {
  const [users, tweets] = await Promise.all([redis.get(keys.userIds), redis.get(keys.tweetIds)]);
  return { users: Number(users ?? 0), tweets: Number(tweets ?? 0) };
}

/**
 * All keys of a server, one after the other, while it is being written to: each is whole, but together they are
 * not of one moment. Users and tweets that came while it ran are left out. A key may come twice.
 */
export async function* walk(node: Redis, known: Known): AsyncGenerator<Entry> {
  let cursor = "0";
  do {
    const [next, found] = await node.scanBuffer(cursor, "COUNT", count);
    cursor = next.toString();
    yield* await read(
      node,
      found.filter((key) => !isYounger(key.toString(), known)),
    );
  } while (cursor !== "0");
}

async function read(node: Redis, found: Buffer[]): Promise<Entry[]> {
  const pipeline = node.pipeline();
  for (const key of found) pipeline.callBuffer("PEXPIRETIME", key).callBuffer("DUMP", key);
  const replies = (await pipeline.exec()) ?? [];
  const reply = (nth: number): unknown => {
    const [error, value] = replies[nth] ?? [new Error("Connection is closed.")];
    if (error !== null) throw error;
    return value;
  };
  return found.flatMap((key, nth): Entry[] => {
    const value = reply(2 * nth + 1);
    // It was deleted meanwhile.
    if (!Buffer.isBuffer(value)) return [];
    return [{ key, expiresAt: Math.max(Number(reply(2 * nth)), 0), value }];
  });
}

const heads = { users: headOf(keys.user(userId(1))), tweets: headOf(keys.tweet(tweetId(1))) };

function isYounger(key: string, known: Known): boolean {
  const [head, id] = key.split(":");
  if (head === heads.users) return Number(id) > known.users;
  return head === heads.tweets && Number(id) > known.tweets;
}

function headOf(key: string): string | undefined {
  return key.split(":")[0];
}
