import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { NotFound } from "../errors.ts";
import { type TweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

export interface Tweet {
  id: TweetId;
  author: UserId;
  text: string;
  createdAt: Stamp;
}

const fields = ["user_id", "created_at", "text", "deleted_at"] as const;

/** Those of `ids` that exist and are not deleted, in one round trip. */
export async function findTweets(ctx: Ctx, ids: Iterable<TweetId>): Promise<Map<TweetId, Tweet>> {
  const unique = [...new Set(ids)];
  const replies = await exec(
    ctx.redis,
    unique.map((id) => ["hmget", keys.tweet(id), ...fields]),
  );
  const tweets = new Map<TweetId, Tweet>();
  for (const [index, id] of unique.entries()) {
    const tweet = toTweet(id, replies[index] as (string | null)[]);
    if (tweet !== undefined) tweets.set(id, tweet);
  }
  return tweets;
}

export async function findTweet(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTweet(id, await ctx.redis.hmget(keys.tweet(id), ...fields));
}

/** Throws NotFound, for a deleted tweet too. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) throw new NotFound("tweet");
  return tweet;
}

/** Writes the whole tweet, unless it exists already, alive or as a tombstone. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await ctx.redis.createHash(
    keys.tweet(tweet.id),
    "text",
    tweet.text,
    "created_at",
    tweet.createdAt,
    "user_id",
    tweet.author,
  );
}

/** Leaves a tombstone: readers that still meet the id see that it is gone, and nothing revives it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt: Stamp): Promise<void> {
  const key = keys.tweet(tweet);
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis
    .multi()
    .hset(key, "deleted_at", deletedAt)
    .hdel(key, "text")
    .expire(key, seconds)
    .exec();
}

function toTweet(id: TweetId, values: (string | null)[]): Tweet | undefined {
  const [author, createdAt, text, deletedAt] = values;
  if (typeof author !== "string" || typeof text !== "string" || typeof deletedAt === "string")
    return undefined;
  return { id, author: userId(author), text, createdAt: Number(createdAt) };
}
