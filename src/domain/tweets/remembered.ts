import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import type { Tweet } from "./tweet.ts";

/** At about 1 kB each at the most. */
const tweetsKept = 20_000;
/** Shorter than deletions are announced (see deletions.ts), so none can be missed. */
export const rememberedSeconds = 60 * 60;

const memories = new WeakMap<RedisClient, LRUCache<TweetId, Tweet>>();

/**
 * Tweets as they were posted, which never changes. Whether they may be gone since is for
 * `learnDeletions` to say. One memory for each connection, so that two contexts in one process are as
 * far apart as two processes.
 */
export function rememberedTweets({ redis }: Ctx): LRUCache<TweetId, Tweet> {
  const known = memories.get(redis);
  if (known !== undefined) return known;
  const memory = new LRUCache<TweetId, Tweet>({ max: tweetsKept, ttl: rememberedSeconds * 1000 });
  memories.set(redis, memory);
  return memory;
}
