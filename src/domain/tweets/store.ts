import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { NotFound } from "../errors.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Entry } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { rememberedTweets } from "./remembered.ts";

export interface Tweet {
  id: TweetId;
  author: UserId;
  text: string;
  createdAt: Stamp;
}

const fields = ["user_id", "created_at", "text", "deleted_at"] as const;

/**
 * The tweet of each entry of a timeline, as it was posted: from what this process remembers, unless
 * `isOutdated` says that this may no longer hold (see learnDeletions), else in one round trip.
 * Undefined where there is none.
 */
export async function recallTweets(
  ctx: Ctx,
  entries: Entry[],
  isOutdated: (tweet: TweetId) => boolean,
): Promise<(Tweet | undefined)[]> {
  const memory = rememberedTweets(ctx);
  const tweets = entries.map((entry) => {
    // What timelines hold are ids that Suzume itself put there.
    const id = entry.id as TweetId;
    return isOutdated(id) ? undefined : recall(memory.get(id), entry.stamp);
  });
  const unknown = [...tweets.keys()].filter((index) => tweets[index] === undefined);
  if (unknown.length === 0) return tweets;
  const ids = unknown.map((index) => tweetId(entries[index]?.id ?? ""));
  const replies = await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), ...fields]),
  );
  for (const [nth, id] of ids.entries()) {
    const tweet = toTweet(id, replies[nth] as (string | null)[]);
    if (tweet !== undefined) memory.set(id, tweet);
    tweets[unknown[nth] ?? -1] = tweet;
  }
  return tweets;
}

/** An entry of another time belongs to another tweet, as after a database was emptied. */
function recall(tweet: Tweet | undefined, stamp: Stamp): Tweet | undefined {
  return tweet?.createdAt === stamp ? tweet : undefined;
}

export async function findTweet(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTweet(id, await ctx.redis.hmget(keys.tweet(id), ...fields));
}

/** Whose tweet it is, or was: a tombstone says so too. */
export async function findAuthor(ctx: Ctx, id: TweetId): Promise<UserId | undefined> {
  const author = await ctx.redis.hget(keys.tweet(id), "user_id");
  return author === null ? undefined : userId(author);
}

/** Throws NotFound, for a deleted tweet too. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) throw new NotFound("tweet");
  return tweet;
}

/** Writes the whole tweet, unless it exists already, alive or as a tombstone: then false. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  const written = await ctx.redis.createHash(
    keys.tweet(tweet.id),
    "text",
    tweet.text,
    "created_at",
    tweet.createdAt,
    "user_id",
    tweet.author,
  );
  return written === 1;
}

/** Leaves a tombstone: readers that still meet the id see that it is gone, and nothing revives it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt: Stamp): Promise<void> {
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis.buryTweet(keys.tweet(tweet), deletedAt, seconds);
}

function toTweet(id: TweetId, values: (string | null)[]): Tweet | undefined {
  const [author, createdAt, text, deletedAt] = values;
  if (typeof author !== "string" || typeof text !== "string" || typeof deletedAt === "string")
    return undefined;
  return { id, author: userId(author), text, createdAt: Number(createdAt) };
}
