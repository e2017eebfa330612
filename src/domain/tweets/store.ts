import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { NotFound } from "../errors.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import type { Named } from "../users/store.ts";
import type { Placed } from "../timelines/store.ts";
import { rememberedTweets } from "./remembered.ts";

export interface Tweet {
  id: TweetId;
  author: UserId;
  /** Empty for a retweet. */
  text: string;
  createdAt: Stamp;
  replyTo?: TweetRef | undefined;
  retweetOf?: TweetRef | undefined;
  /** The tweet of this site that its text links to, shown as a card. */
  quoteOf?: TweetRef | undefined;
  /** The people whom its text names and who existed when it was written. */
  mentions?: readonly Named[];
}

/** Another tweet, and who wrote it. */
export interface TweetRef {
  tweet: TweetId;
  author: UserId;
}

const fields = [
  "user_id",
  "created_at",
  "text",
  "deleted_at",
  "reply_to",
  "reply_to_user",
  "retweet_of",
  "retweet_of_user",
  "quote_of",
  "quote_of_user",
  "mentions",
] as const;

/**
 * The tweet of each entry of a timeline, as it was posted: from what this process remembers, unless
 * `isOutdated` says that this may no longer hold (see learnDeletions), else in one round trip.
 * Undefined where there is none.
 */
export async function recallTweets(
  ctx: Ctx,
  entries: { id: string; stamp?: Stamp }[],
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
function recall(tweet: Tweet | undefined, stamp: Stamp | undefined): Tweet | undefined {
  return stamp === undefined || tweet?.createdAt === stamp ? tweet : undefined;
}

/** As they are this moment, in one round trip, without this process remembering them. */
export async function readTweets(ctx: Ctx, ids: TweetId[]): Promise<(Tweet | undefined)[]> {
  const replies = await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), ...fields]),
  );
  return ids.map((id, index) => toTweet(id, replies[index] as (string | null)[]));
}

export async function findTweet(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTweet(id, await ctx.redis.hmget(keys.tweet(id), ...fields));
}

/** As timelines know it. */
export function placeOf(
  tweet: Pick<Tweet, "id" | "author" | "createdAt" | "replyTo" | "retweetOf">,
): Placed {
  const { id, author, createdAt, replyTo, retweetOf } = tweet;
  return {
    tweet: id,
    author,
    stamp: createdAt,
    answers: replyTo?.author === author ? undefined : replyTo?.author,
    unlisted: replyTo !== undefined || retweetOf !== undefined,
  };
}

/** A tweet, or the tombstone of one, which still tells all but its text. */
export async function findRemains(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  const values = await ctx.redis.hmget(keys.tweet(id), ...fields);
  const [author, createdAt, , , ...rest] = values;
  return toTweet(id, [author ?? null, createdAt ?? null, "", null, ...rest]);
}

/** Of those of `tweets` that exist or existed; one round trip. */
export async function findAuthors(ctx: Ctx, tweets: TweetId[]): Promise<Map<TweetId, UserId>> {
  const replies = await exec(
    ctx.redis,
    tweets.map((id) => ["hget", keys.tweet(id), "user_id"]),
  );
  const authors = new Map<TweetId, UserId>();
  for (const [index, id] of tweets.entries()) {
    const author = replies[index];
    if (typeof author === "string") authors.set(id, userId(author));
  }
  return authors;
}

/** Throws NotFound, for a deleted tweet too. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) throw new NotFound("tweet");
  return tweet;
}

/** Writes the whole tweet, unless it exists already, alive or as a tombstone: then false. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  const { id, author, text, createdAt, replyTo, retweetOf, quoteOf, mentions = noMentions } = tweet;
  const values = ["text", text, "created_at", createdAt, "user_id", author];
  if (replyTo !== undefined)
    values.push("reply_to", replyTo.tweet, "reply_to_user", replyTo.author);
  if (retweetOf !== undefined)
    values.push("retweet_of", retweetOf.tweet, "retweet_of_user", retweetOf.author);
  if (quoteOf !== undefined)
    values.push("quote_of", quoteOf.tweet, "quote_of_user", quoteOf.author);
  if (mentions.length > 0) values.push("mentions", spellMentions(mentions));
  return (await ctx.redis.createHash(keys.tweet(id), ...values)) === 1;
}

/** Leaves a tombstone: readers that still meet the id see that it is gone, and nothing revives it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt: Stamp): Promise<void> {
  const seconds = ctx.config.timelineTtlDays * 24 * 60 * 60;
  await ctx.redis.buryTweet(keys.tweet(tweet), deletedAt, seconds);
}

/** Of a retweet, what it retweets: whatever is done to a tweet is done to that. Throws NotFound. */
export async function getOriginal(ctx: Ctx, id: TweetId): Promise<Tweet> {
  const tweet = await getTweet(ctx, id);
  return tweet.retweetOf === undefined ? tweet : await getTweet(ctx, tweet.retweetOf.tweet);
}

/** The same by its id, for tweets that were deleted too. Throws NotFound for what never was. */
export async function getOriginalId(ctx: Ctx, id: TweetId): Promise<TweetId> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined) throw new NotFound("tweet");
  return remains.retweetOf?.tweet ?? id;
}

function toTweet(id: TweetId, values: (string | null)[]): Tweet | undefined {
  const [author, createdAt, text, deletedAt, ...rest] = values;
  if (typeof author !== "string" || typeof text !== "string" || typeof deletedAt === "string")
    return undefined;
  const [replyTo, replyToUser, retweetOf, retweetOfUser, quoteOf, quoteOfUser, mentions] = rest;
  return {
    id,
    author: userId(author),
    text,
    createdAt: Number(createdAt),
    replyTo: toRef(replyTo, replyToUser),
    retweetOf: toRef(retweetOf, retweetOfUser),
    quoteOf: toRef(quoteOf, quoteOfUser),
    mentions: readMentions(mentions),
  };
}

function toRef(tweet: string | null | undefined, author: string | null | undefined) {
  if (typeof tweet !== "string" || typeof author !== "string") return undefined;
  return { tweet: tweetId(tweet), author: userId(author) };
}

/** "7:alice 9:bob". */
function spellMentions(mentions: readonly Named[]): string {
  return mentions.map(({ id, name }) => `${id}:${name}`).join(" ");
}

const noMentions: readonly Named[] = [];

function readMentions(spelled: string | null | undefined): readonly Named[] {
  if (typeof spelled !== "string") return noMentions;
  return spelled.split(" ").map((pair) => {
    const [id = "", name = ""] = pair.split(":");
    return { id: userId(id), name };
  });
}
