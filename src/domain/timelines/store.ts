import type { Ctx } from "../../context.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { type TweetId, type UserId, userId, type Stamp } from "../ids.ts";
import { type Entry, type Range, readEntries } from "../page.ts";

/** More than a home timeline holds by default: older replies are found in the user timelines. */
const answersKept = mostOf("answers");
const newestKept = mostOf("globalTimeline");

/** A tweet as the timelines need it. */
export interface TimelineTweet {
  tweet: TweetId;
  author: UserId;
  stamp: Stamp;
  /** Author of the answered tweet, if another user: only followers of both, and these two, get the reply. */
  inReplyToUser?: UserId | undefined;
  /** Not in the global timeline: a reply, a retweet, or not for everyone. */
  unlisted?: boolean;
}

/** State of a fan-out: followers up to this stamp have the tweet. */
export interface FanOutProgress {
  done: Stamp;
  save(done: Stamp): Promise<void>;
}

/** Lists a tweet in its author's timeline and the public ones. May run twice. */
export async function addToTimelines(ctx: Ctx, placed: TimelineTweet): Promise<void> {
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
      ["zremrangebyrank", keys.globalTimeline, 0, -newestKept - 1],
    );
  await exec(ctx.redis, commands);
}

/** What is known of a deleted tweet: enough to find it in every list. */
export type DeletedTweet = Pick<TimelineTweet, "tweet" | "author" | "inReplyToUser">;

/**
 * Removes deleted tweets from the public lists and their author's. The user timeline goes last, as erasing an
 * account finds its tweets there.
 */
export async function removeFromTimelines(ctx: Ctx, gone: DeletedTweet[]): Promise<void> {
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
  await execEach(ctx.redis, gone, (one) => ["zrem", keys.userTimeline(one.author), one.tweet]);
}

/** Member of the big timeline for a tweet. */
export function bigMember({ tweet, author, inReplyToUser }: DeletedTweet): string {
  return inReplyToUser === undefined ? `${tweet}:${author}` : `${tweet}:${author}:${inReplyToUser}`;
}

/** All tweets of an author, newest first: at least `limit` unless the timeline ends. */
export async function userEntries(ctx: Ctx, author: UserId, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.userTimeline(author), range);
}

/** A reply between two users; `other` is one of them. */
interface Answer extends Entry {
  other: UserId;
}

/** The newest replies of others to a user; at most 1,000 are stored. */
export async function answersTo(ctx: Ctx, user: UserId): Promise<Answer[]> {
  return await readAnswers(ctx, keys.answers(user), answersKept);
}

/** The newest of a user's `replies` or `answers`. */
export async function readAnswers(ctx: Ctx, key: string, limit: number): Promise<Answer[]> {
  const entries = await readEntries(ctx.redis, key, { before: undefined, limit });
  return entries.map(({ id: member, stamp }) => {
    const [id = "", other = ""] = member.split(":");
    return { id, stamp, other: userId(other) };
  });
}

/** Of these tweets, those in the author's timeline; one round trip. */
export async function writtenAmong(ctx: Ctx, author: UserId, tweets: TweetId[]) {
  if (tweets.length === 0) return [];
  const stamps = await ctx.redis.zmscore(keys.userTimeline(author), ...tweets);
  return tweets.filter((_, index) => stamps[index] !== null);
}

/** The newest tweets of all users; at most 10,000 are stored. */
export async function globalEntries(ctx: Ctx, range: Range): Promise<Entry[]> {
  return await readEntries(ctx.redis, keys.globalTimeline, range);
}
