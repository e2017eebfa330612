import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, type UserId, userId } from "../ids.ts";
import { type Entry, type Range, readEntries, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";

const globalKept = 10_000;
/** More than a home timeline holds by default: what is older is found in the user timelines. */
const answersKept = 1000;

/** A tweet as timelines know it. */
export interface Placed {
  tweet: TweetId;
  author: UserId;
  stamp: Stamp;
  /** Somebody else to whom it is a reply: it concerns those who follow both, and these two. */
  inReplyToUser?: UserId | undefined;
  /** Not among everybody's newest: a reply or a retweet. */
  unlisted?: boolean;
}

/** How far a fan-out got: every follower who came at or before this stamp has the tweet. */
export interface Progress {
  done: Stamp;
  save(done: Stamp): Promise<void>;
}

/** Lists a tweet where its author and strangers look for it. Listing it twice is harmless. */
export async function placeTweet(ctx: Ctx, placed: Placed): Promise<void> {
  const { tweet, author, stamp, inReplyToUser, unlisted } = placed;
  const commands: Command[] = [["zadd", keys.userTimeline(author), stamp, tweet]];
  if (inReplyToUser !== undefined)
    commands.push(
      ["zadd", keys.replies(author), stamp, `${tweet}:${inReplyToUser}`],
      ["zadd", keys.answers(inReplyToUser), stamp, `${tweet}:${author}`],
      ["zremrangebyrank", keys.answers(inReplyToUser), 0, -answersKept - 1],
    );
  if (unlisted !== true)
    commands.push(
      ["zadd", keys.globalTimeline, stamp, tweet],
      ["zremrangebyrank", keys.globalTimeline, 0, -globalKept - 1],
    );
  await exec(ctx.redis, commands);
}

/** What is known of a tweet that is gone: enough to find it in every list. */
export type Gone = Pick<Placed, "tweet" | "author" | "inReplyToUser">;

/**
 * Takes tweets that are gone off the lists of everybody and of their author; off the user timeline
 * last, as whoever erases an account finds them there.
 */
export async function displaceTweets(ctx: Ctx, gone: Gone[]): Promise<void> {
  await exec(
    ctx.redis,
    gone.flatMap(({ tweet, author, inReplyToUser }): Command[] => {
      const lists: Command[] = [
        ["zrem", keys.globalTimeline, tweet],
        ["zrem", keys.bigTimeline, bigMember({ tweet, author, inReplyToUser })],
      ];
      if (inReplyToUser === undefined) return lists;
      return [
        ...lists,
        ["zrem", keys.replies(author), `${tweet}:${inReplyToUser}`],
        ["zrem", keys.answers(inReplyToUser), `${tweet}:${author}`],
      ];
    }),
  );
  await exec(
    ctx.redis,
    gone.map(({ tweet, author }) => ["zrem", keys.userTimeline(author), tweet]),
  );
}

/** How the timeline of big accounts spells a tweet. */
export function bigMember({ tweet, author, inReplyToUser }: Gone): string {
  return inReplyToUser === undefined ? `${tweet}:${author}` : `${tweet}:${author}:${inReplyToUser}`;
}

/** Takes tweets that are gone off the list of everybody's newest. */
export async function removeFromGlobal(ctx: Ctx, tweets: TweetId[]): Promise<void> {
  await ctx.redis.zrem(keys.globalTimeline, ...tweets);
}

/** All that an author wrote, newest first: at least `limit` unless the timeline ends before. */
export async function userEntries(ctx: Ctx, author: UserId, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.userTimeline(author), range);
}

/** A reply from one person to another, seen from one of the two. */
export interface Answer extends Entry {
  other: UserId;
}

/** A person's newest replies to others. */
export async function repliesBy(ctx: Ctx, author: UserId, limit: number): Promise<Answer[]> {
  return await readAnswers(ctx, keys.replies(author), limit);
}

/** The newest replies of others to a person; at most 1,000 are known. */
export async function answersTo(ctx: Ctx, user: UserId, limit: number): Promise<Answer[]> {
  return await readAnswers(ctx, keys.answers(user), Math.min(limit, answersKept));
}

async function readAnswers(ctx: Ctx, key: string, limit: number): Promise<Answer[]> {
  const entries = await readEntries(ctx.redis, key, { before: undefined, limit });
  return entries.map(({ id: member, stamp }) => {
    const [id = "", other = ""] = member.split(":");
    return { id, stamp, other: userId(other) };
  });
}

/** Of these tweets, those that stand in the author's timeline; one round trip. */
export async function writtenAmong(
  ctx: Ctx,
  author: UserId,
  tweets: TweetId[],
): Promise<TweetId[]> {
  if (tweets.length === 0) return [];
  const stamps = await ctx.redis.zmscore(keys.userTimeline(author), ...tweets);
  return tweets.filter((_, index) => stamps[index] !== null);
}

/** The newest tweets of everybody; at most 10,000 are known. */
export async function globalEntries(ctx: Ctx, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.globalTimeline, range);
}

/** A part of everybody's newest by rank, the newest having 0; both ends included. */
export async function globalPart(ctx: Ctx, first: number, last: number): Promise<Entry[]> {
  return toEntries(
    await ctx.redis.zrange(keys.globalTimeline, first, String(last), "REV", "WITHSCORES"),
  );
}

/** How many tweets the newest of everybody are. */
export async function globalLength(ctx: Ctx): Promise<number> {
  return await ctx.redis.zcard(keys.globalTimeline);
}

export async function countTweets(ctx: Ctx, author: UserId): Promise<number> {
  return await ctx.redis.zcard(keys.userTimeline(author));
}
