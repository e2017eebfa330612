import type { Ctx } from "../../context.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import type { Viewer } from "../graph/relations.ts";
import type { Stamp, TweetId, UserId } from "../ids.ts";
import { membersOf } from "../members.ts";
import { reconcile } from "../promises.ts";
import { timelineSeconds } from "../timelines/home-store.ts";
import { findTweet } from "./store.ts";
import { findUser } from "../users/store.ts";
import { isOpen } from "./audience.ts";
import type { Tweet } from "./tweet.ts";

const listOf = {
  replies: keys.tweetReplies,
  retweets: keys.tweetRetweets,
  likes: keys.tweetLikes,
} as const;

/** Numbers of replies, retweets and likes of a tweet. */
export type Counts = Record<keyof typeof listOf, number>;

const none: Counts = { replies: 0, retweets: 0, likes: 0 };

const countsReading: Reading<TweetId, Counts> = {
  key: keys.tweet,
  command: ["hmget", ...Object.keys(none)],
  parse: (reply) => toCounts(reply as (string | null)[]),
};

/** The users who retweet a tweet: all, and those of them who are protected. */
export function retweetersOf(tweet: TweetId): [all: string, uncounted: string] {
  return [keys.tweetRetweets(tweet), keys.hiddenRetweets(tweet)];
}

/** What the viewer did with a tweet. */
export type Reaction = Record<"liked" | "retweeted" | "bookmarked", boolean>;

const noReaction: Reaction = { liked: false, retweeted: false, bookmarked: false };

const likes = membersOf("zset", keys.likes);
const retweets = membersOf("hash", keys.retweets);
const bookmarks = membersOf("zset", keys.bookmarks);

/** Sets one count of a tweet to what its list counts. */
export async function recount(ctx: Ctx, tweet: TweetId, which: keyof Counts): Promise<void> {
  await reconcile(
    () => listedCount(ctx, tweet, which),
    async (size) => void (await ctx.redis.setField(keys.tweet(tweet), which, size)),
  );
}

/** What one count of a tweet has to be: the size of its list, without retweets by protected accounts. */
export async function listedCount(ctx: Ctx, tweet: TweetId, which: keyof Counts): Promise<number> {
  const lists = which === "retweets" ? retweetersOf(tweet) : [listOf[which](tweet)];
  const [size, uncounted = 0] = await execEach(ctx.redis, lists, (list) => ["zcard", list]);
  return Number(size) - Number(uncounted);
}

/** For all tweets in one round trip, or none. */
export async function readCounts(ctx: Ctx, tweets: TweetId[]): Promise<Map<TweetId, Counts>> {
  const counts = await ctx.memory.read(ctx.redis, countsReading, tweets);
  return new Map(tweets.map((id, index) => [id, counts[index] ?? none]));
}

function toCounts(values: (string | null)[]): Counts {
  if (values.every((value) => value === null)) return none;
  const [replied, retweeted, liked] = values;
  return { replies: Number(replied), retweets: Number(retweeted), likes: Number(liked) };
}

export async function reactionsTo(ctx: Ctx, viewer: Viewer | undefined, tweets: TweetId[]) {
  if (viewer === undefined) return () => noReaction;
  const ids = [...new Set(tweets)];
  const [liked, retweeted, bookmarked] = await Promise.all([
    likes(ctx, viewer.id, ids),
    retweets(ctx, viewer.id, ids),
    bookmarks(ctx, viewer.id, ids),
  ]);
  return (tweet: TweetId): Reaction => ({
    liked: liked.has(tweet),
    retweeted: retweeted.has(tweet),
    bookmarked: bookmarked.has(tweet),
  });
}

/** The replies to a tweet: those that are counted, and those that not everyone may see. */
export function repliesOf(tweet: TweetId): [counted: string, hidden: string] {
  return [keys.tweetReplies(tweet), keys.hiddenReplies(tweet)];
}

/**
 * Lists a reply under the tweet that it answers; does nothing for other tweets. Nobody learns from a count that there
 * is a hidden reply: one of an author who is protected now is not counted, either. May run twice.
 */
export async function listReply(ctx: Ctx, tweet: Tweet): Promise<void> {
  const { id, createdAt, replyTo } = tweet;
  if (replyTo === undefined) return;
  const author = await findUser(ctx, tweet.author);
  const [counted, hidden] = repliesOf(replyTo.tweet);
  const isCounted = author === undefined || isOpen(tweet, author);
  const [list, other] = isCounted ? [counted, hidden] : [hidden, counted];
  await exec(ctx.redis, [
    ["zadd", list, createdAt, id],
    ["zrem", other, id],
  ]);
  await recount(ctx, replyTo.tweet, "replies");
  if ((await findTweet(ctx, replyTo.tweet)) === undefined) await expireReplies(ctx, replyTo.tweet);
}

/** A user's retweet of a tweet; there is at most one. */
export interface Retweeting {
  user: UserId;
  /** The original. */
  tweet: TweetId;
}

/** False for a tweet whose id was given out again after it was claimed for this retweet. */
export function isRetweetOf(written: Tweet, { user, tweet }: Retweeting): boolean {
  return written.author === user && written.retweetOf?.tweet === tweet;
}

/**
 * Lists a user under the tweet that the user retweeted at this stamp; without one, removes the user. Nobody learns from
 * a count that a protected account retweets. May run twice.
 */
export async function listRetweeter(
  ctx: Ctx,
  { user, tweet }: Retweeting,
  stamp: Stamp | undefined,
): Promise<void> {
  const isHidden = (await findUser(ctx, user))?.protected === true;
  const [all, uncounted] = retweetersOf(tweet);
  await exec(ctx.redis, [
    entryAt(all, user, stamp),
    entryAt(uncounted, user, isHidden ? stamp : undefined),
  ]);
  await recount(ctx, tweet, "retweets");
}

/** Writes an entry of a list; without a stamp, removes it. */
function entryAt(list: string, member: string, stamp: Stamp | undefined): Command {
  return stamp === undefined ? ["zrem", list, member] : ["zadd", list, stamp, member];
}

/** Keeps the lists of replies to a deleted tweet for as long as its tombstone. */
export async function expireReplies(ctx: Ctx, deleted: TweetId): Promise<void> {
  const seconds = timelineSeconds(ctx);
  await execEach(ctx.redis, repliesOf(deleted), (list) => ["expire", list, seconds]);
}

/** Removes a deleted reply from these lists. */
export async function unlistReply(ctx: Ctx, { id, replyTo }: Tweet): Promise<void> {
  if (replyTo === undefined) return;
  await execEach(ctx.redis, repliesOf(replyTo.tweet), (list) => ["zrem", list, id]);
  await recount(ctx, replyTo.tweet, "replies");
}
