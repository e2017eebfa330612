import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import type { FieldValues } from "../../redis/hash-codec.ts";
import type { Reading } from "../../redis/memory.ts";
import { areFree, noteId, noteStamp, withFreeIds } from "../counters.ts";
import { required } from "../errors.ts";
import { type TweetId, tweetId, type UserId, userId, stampAt } from "../ids.ts";
import { withoutRight } from "../scope.ts";
import { timelineSeconds } from "../timelines/home-store.ts";
import {
  serializeTweet,
  toTombstone,
  toTweet,
  toWords,
  type Tweet,
  tweetFields,
  wordFields,
} from "./tweet.ts";
import { readUser } from "../users/store.ts";

/** Null is kept as well: else the time of an answer would tell a hidden tweet from one that never was. */
const tweetReading: Reading<TweetId, Tweet | null> = {
  key: keys.tweet,
  command: ["hmget", ...tweetFields],
  parse: (reply, id) => toTweet(id, reply as (string | null)[]) ?? null,
};

/** The tweet of each entry of a timeline, in one round trip or none. Undefined if there is none. */
export async function recallTweets(ctx: Ctx, entries: { id: string }[]) {
  // Timelines hold only ids that Suzume wrote.
  const ids = entries.map(({ id }) => id as TweetId);
  const read = ctx.memory.read(ctx.redis, tweetReading, ids);
  const tweets = read instanceof Promise ? await read : read;
  return tweets.map((tweet) => {
    if (tweet === null) return undefined;
    noteId(ctx, "tweets", tweet.id);
    noteStamp(ctx, tweet.createdAt);
    return tweet;
  });
}

/** The existing tweets with these ids, in one round trip or none. */
export async function recallTweetsById(ctx: Ctx, ids: Iterable<TweetId>) {
  const wanted = [...new Set(ids)].map((id) => ({ id }));
  const tweets = wanted.length === 0 ? [] : await recallTweets(ctx, wanted);
  return new Map(tweets.flatMap((tweet) => (tweet === undefined ? [] : [[tweet.id, tweet]])));
}

/** The same, and of deleted tweets the tombstones, which still know what was answered: a round trip more for these. */
export async function recallEvenDeleted(ctx: Ctx, ids: readonly TweetId[]) {
  const tweets = await recallTweetsById(ctx, ids);
  const gone = [...new Set(ids)].filter((id) => !tweets.has(id));
  for (const tombstone of await readTombstones(ctx, gone))
    if (tombstone !== undefined) tweets.set(tombstone.id, tombstone);
  return tweets;
}

/** Reads fields of each tweet in one round trip, without caching them. */
const readerFor =
  <Value>(fields: readonly string[], parse: (id: TweetId, values: FieldValues) => Value) =>
  async (ctx: Ctx, ids: readonly TweetId[]): Promise<Value[]> => {
    const replies = await execEach(ctx.redis, ids, (id) => ["hmget", keys.tweet(id), ...fields]);
    return ids.map((id, nth) => parse(id, replies[nth] as FieldValues));
  };

/** For jobs and downloads: current tweets, read from Redis. */
export const readTweets = readerFor(tweetFields, toTweet);

/** The same, including tombstones, which have everything but the text. */
export const readTombstones = readerFor(tweetFields, toTombstone);

/** The words of many tweets, as wordsOf has them, without the rest of these; undefined of one that is gone. */
export const readEachWords = readerFor(wordFields, (_, values) => toWords(values));

export async function findTweet(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTweet(id, await ctx.redis.hmget(keys.tweet(id), ...tweetFields));
}

/** A tweet, or its tombstone, which has everything but the text. */
export async function findTombstone(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  return toTombstone(id, await ctx.redis.hmget(keys.tweet(id), ...tweetFields));
}

/** Throws NotFound, also for a deleted tweet. */
export async function getTweet(ctx: Ctx, id: TweetId): Promise<Tweet> {
  return required(await findTweet(ctx, id), "tweet");
}

/** New ids without stored data. */
export async function takeFreeIds(ctx: Ctx, count: number): Promise<TweetId[]> {
  return await withFreeIds(ctx, { what: "tweets", count }, async (first) => {
    const ids = Array.from({ length: count }, (_, nth) => tweetId(first + nth));
    return (await areFree(ctx, ids.map(keys.tweet))) ? ids : undefined;
  });
}

/** Writes the whole tweet. False if it exists already, as a tweet or tombstone. */
export async function createTweet(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  return (await ctx.redis.createHash(keys.tweet(tweet.id), 0, ...serializeTweet(tweet))) === 1;
}

/** Leaves a tombstone: readers that find the id see that the tweet is gone, and nothing can restore it. */
export async function buryTweet(ctx: Ctx, tweet: TweetId, deletedAt = stampAt(ctx.now(), tweet)) {
  await ctx.redis.buryTweet(keys.tweet(tweet), deletedAt, timelineSeconds(ctx));
}

/** TTL of a draft and of its form's claim, unless delivery is promised. */
export const draftSeconds = 60;

/**
 * Writes a tweet as a draft, which readers do not see, under no author, for a minute. `claim` is the digest of
 * the form, `generation` that of the author. The caller promises delivery and then commits the draft. Resolves to what
 * the id now is: a draft, or what a draft of the same submit has become; "taken" if it belongs to another tweet.
 */
export async function draftTweet(
  ctx: Ctx,
  tweet: Tweet,
  { claim, generation }: { claim: string; generation: string },
): Promise<"draft" | "tweet" | "tombstone" | "taken"> {
  const key = keys.tweet(tweet.id);
  const fields = serializeTweet(tweet, "drafted_by");
  fields.push("claim", claim, "generation", generation);
  if ((await ctx.redis.createHash(key, draftSeconds, ...fields)) === 1) return "draft";
  const state = ["drafted_by", "user_id", "created_at", "deleted_at"];
  const [draftedBy, author, createdAt, deletedAt] = await ctx.redis.hmget(key, ...state);
  if ((draftedBy ?? author) !== tweet.author || createdAt !== String(tweet.createdAt))
    return "taken";
  if (typeof deletedAt === "string") return "tombstone";
  return typeof draftedBy === "string" ? "draft" : "tweet";
}

/** Ends a draft, which no process can commit from now on. Leaves a tweet as it is. May run twice. */
export async function dropDraft(ctx: Ctx, id: TweetId, author: UserId): Promise<void> {
  const dropped = await ctx.redis.clearFields(keys.tweet(id), "drafted_by", author);
  if (dropped.length > 0) await ctx.redis.del(keys.tweet(id));
}

/**
 * Makes a draft a tweet, and keeps its form's claim for a day. Resolves to whether it was done now or before, or the
 * draft has expired.
 */
export async function commitTweet(
  ctx: Ctx,
  { id, author, claim }: { id: TweetId; author: UserId; claim: string },
): Promise<"now" | "before" | "expired"> {
  const keepClaim = () => ctx.redis.expire(keys.nonce(author, claim), ttlOf("nonce"));
  const [committed] = await Promise.all([
    ctx.redis.commitTweet(keys.tweet(id)),
    // An error of its own would hide that the tweet was committed.
    claim === "" ? undefined : withoutRight(keepClaim),
  ]);
  if (committed === 0) return "expired";
  return committed === 1 ? "now" : "before";
}

/**
 * For the job: commits the draft if the process that promised it ended before. Not if the author's password has
 * changed, or the account has ended: such a draft expires.
 */
export async function commitPromised(ctx: Ctx, id: TweetId): Promise<void> {
  const fields = ["drafted_by", "claim", "generation"];
  const [by, claim, generation] = await ctx.redis.hmget(keys.tweet(id), ...fields);
  if (typeof by !== "string") return;
  const author = userId(by);
  const isValid = async () => (await readUser(ctx, author))?.generation === (generation ?? "");
  if (!(await isValid())) return;
  const committed = await commitTweet(ctx, { id, author, claim: claim ?? "" });
  // Account and tweet are in two slots: no script checks the one and commits the other.
  if (committed === "now" && !(await isValid())) await buryTweet(ctx, id);
}
