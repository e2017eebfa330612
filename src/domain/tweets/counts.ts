import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import type { TweetId } from "../ids.ts";

/** Numbers of replies, retweets and likes of a tweet. */
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

const none: Counts = { replies: 0, retweets: 0, likes: 0 };

const countsReading: Reading<TweetId, Counts> = {
  key: keys.tweet,
  command: ["hmget", ...fields],
  parse: (reply) => toCounts(reply as (string | null)[]),
};

/**
 * Sets one count of a tweet to the size of its list. If two change the list at once, the last to write the
 * count has read the list after the other's change, or reads it again.
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
}

/** For all tweets in one round trip, or none. */
export async function readCounts(ctx: Ctx, tweets: TweetId[]): Promise<Map<TweetId, Counts>> {
  const counts = await ctx.memory.read(ctx.redis, countsReading, tweets);
  return new Map(tweets.map((id, index) => [id, counts[index] ?? none]));
}

function toCounts(values: (string | null)[]): Counts {
  if (values.every((value) => value === null)) return none;
  const [replies, retweets, likes] = values;
  return { replies: Number(replies), retweets: Number(retweets), likes: Number(likes) };
}
