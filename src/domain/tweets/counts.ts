import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId } from "../ids.ts";

/** How often a tweet was answered, retweeted and liked. */
export interface Counts {
  replies: number;
  retweets: number;
  likes: number;
}

const listOf = {
  replies: keys.tweetReplies,
  retweets: keys.tweetRetweets,
  likes: keys.tweetLikes,
} as const;
const fields = ["replies", "retweets", "likes"] as const;

/** Lists in other processes follow within this time; this one forgets what it changes itself. */
const freshMilliseconds = 1500;
const countsKept = 50_000;
const none: Counts = { replies: 0, retweets: 0, likes: 0 };

const memories = new WeakMap<RedisClient, LRUCache<TweetId, Counts>>();

/**
 * Sets one count of a tweet to the size of its list. Of two who change the list at once, whoever
 * writes the count last has looked after the other's change, or looks again.
 */
export async function recount(ctx: Ctx, tweet: TweetId, which: keyof Counts): Promise<void> {
  const list = listOf[which](tweet);
  let size = await ctx.redis.zcard(list);
  for (let tries = 0; tries < 10; tries += 1) {
    await ctx.redis.setField(keys.tweet(tweet), which, size);
    const again = await ctx.redis.zcard(list);
    if (again === size) break;
    size = again;
  }
  countsOf(ctx).delete(tweet);
}

/** Of each tweet, in one round trip or none: what this process read in the last 1.5 s it knows. */
export async function readCounts(ctx: Ctx, tweets: TweetId[]): Promise<Map<TweetId, Counts>> {
  const memory = countsOf(ctx);
  const counts = new Map<TweetId, Counts>();
  const unknown: TweetId[] = [];
  for (const id of tweets) {
    const known = memory.get(id);
    if (known === undefined) unknown.push(id);
    else counts.set(id, known);
  }
  if (unknown.length === 0) return counts;
  const replies = await exec(
    ctx.redis,
    unknown.map((id) => ["hmget", keys.tweet(id), ...fields]),
  );
  for (const [index, id] of unknown.entries()) {
    const read = toCounts(replies[index] as (string | null)[]);
    memory.set(id, read);
    counts.set(id, read);
  }
  return counts;
}

function toCounts(values: (string | null)[]): Counts {
  if (values.every((value) => value === null)) return none;
  const [replies, retweets, likes] = values;
  return { replies: Number(replies), retweets: Number(retweets), likes: Number(likes) };
}

function countsOf({ redis }: Ctx): LRUCache<TweetId, Counts> {
  const known = memories.get(redis);
  const memory = known ?? new LRUCache({ max: countsKept, ttl: freshMilliseconds });
  memories.set(redis, memory);
  return memory;
}
