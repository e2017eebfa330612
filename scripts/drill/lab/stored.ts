import { Cluster } from "ioredis";
import type { Ctx } from "../../../src/context.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { type TweetId, tweetId } from "../../../src/domain/ids.ts";
import { keys } from "../../../src/redis/keys.ts";

export interface StoredTweet {
  id: TweetId;
  text: string;
}

/**
 * Every tweet that Redis holds for good and that is not deleted: what lists do not tell. What has an
 * end is a draft, which was not acknowledged.
 */
export async function storedTweets({ redis }: Ctx): Promise<StoredTweet[]> {
  const found: StoredTweet[] = [];
  for (const name of await keysLike(redis, keys.tweet("*" as TweetId))) {
    const id = /^tweet:(\d+)$/.exec(name)?.[1];
    if (id === undefined) continue;
    const [text, deletedAt] = await redis.hmget(name, "text", "deleted_at");
    const isDraft = (await redis.ttl(name)) !== -1;
    if (typeof text === "string" && deletedAt === null && !isDraft)
      found.push({ id: tweetId(id), text });
  }
  return found;
}

/** On a cluster of all primaries. */
export async function keysLike(redis: RedisClient, pattern: string): Promise<string[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const found = new Set<string>();
  for (const node of nodes) {
    let cursor = "0";
    do {
      const [next, names] = await node.scan(cursor, "MATCH", pattern, "COUNT", 1000);
      for (const name of names) found.add(name);
      cursor = next;
    } while (cursor !== "0");
  }
  return [...found];
}
