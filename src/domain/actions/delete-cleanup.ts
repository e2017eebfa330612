import type { Ctx } from "../../context.ts";
import { exec, execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { unlistMessage } from "../messages/list-message.ts";
import { retractTweet } from "../notifications/store.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import { removeFromTimelines } from "../timelines/store.ts";
import { isMessage } from "../tweets/audience.ts";
import { isVoter, takeBackVote } from "../tweets/poll.ts";
import {
  expireReplies,
  isRetweetOf,
  retweetersOf,
  type Retweeting,
  unlistReply,
} from "../tweets/reactions.ts";
import { buryTweet, findTombstone, findTweet } from "../tweets/store.ts";
import { removePictures } from "./attach-pictures.ts";
import { toTimelineTweet, type Tweet } from "../tweets/tweet.ts";

/** Users whose likes or retweets are cleared at a time. */
const atOnce = 100;
/** Pages of these in one run of the chore: seconds. */
const pagesAtOnce = 20;

/** The promised job: does some of the rest after a deletion, and promises what is left. May run twice. */
export async function reconcileDeletion(ctx: Ctx, id: TweetId): Promise<void> {
  const tombstone = await findTombstone(ctx, id);
  if (tombstone === undefined || (await findTweet(ctx, id)) !== undefined) return;
  await unlistTweet(ctx, tombstone);
  const isMore = await clearDeleted(ctx, id, { pages: pagesAtOnce });
  await removePictures(ctx, tombstone);
  if (isMore) await ctx.jobs.chore("reconcile-deletion", { tweet: id });
}

/**
 * Removes a deleted tweet from the lists of its likers and voters, and deletes its retweets, so that the users'
 * counts match what is shown. Clears at most `pages` pages of users. May run twice; leaves a living tweet alone. Returns
 * whether there is more to do.
 */
export async function clearDeleted(
  ctx: Ctx,
  id: TweetId,
  { pages, alive = () => {} }: { pages: number; alive?: (() => void) | undefined },
): Promise<boolean> {
  if ((await findTweet(ctx, id)) !== undefined) return false;
  for (let page = 0; page < pages; page += 1) {
    alive();
    const [likers, retweeters, votes] = (await exec(ctx.redis, [
      ["zrange", keys.tweetLikes(id), 0, atOnce - 1],
      ["zrange", keys.tweetRetweets(id), 0, atOnce - 1],
      ["hrandfield", keys.tweetVotes(id), atOnce],
    ])) as [string[], string[], string[]];
    await clearLikes(ctx, id, likers.map(userId));
    await clearRetweets(ctx, id, retweeters.map(userId));
    const voters = votes.filter(isVoter).map(userId);
    await Promise.all(voters.map((voter) => takeBackVote(ctx, voter, id)));
    if ([likers, retweeters, votes].every(({ length }) => length < atOnce)) {
      await expireReplies(ctx, id);
      if (votes.length > 0) await ctx.redis.unlink(keys.tweetVotes(id));
      return false;
    }
  }
  return true;
}

async function clearLikes(ctx: Ctx, id: TweetId, likers: UserId[]): Promise<void> {
  await execEach(ctx.redis, likers, (user) => ["zrem", keys.likes(user), id]);
  if (likers.length > 0) await ctx.redis.zrem(keys.tweetLikes(id), ...likers);
}

/** Deletes retweets of a deleted tweet, and their entries: a retweet without its original is never shown. */
async function clearRetweets(ctx: Ctx, id: TweetId, retweeters: UserId[]): Promise<void> {
  const entries = await execEach(ctx.redis, retweeters, (one) => ["hget", keys.retweets(one), id]);
  for (const [index, user] of retweeters.entries()) {
    const retweet = entries[index];
    if (typeof retweet === "string") await clearRetweet(ctx, { user, tweet: id }, tweetId(retweet));
    await ctx.redis.hdel(keys.retweets(user), id);
    await execEach(ctx.redis, retweetersOf(id), (list) => ["zrem", list, user]);
  }
}

/** Deletes the tweet of a retweet, if this id is of it; the caller updates its author's hash of retweets. */
export async function clearRetweet(ctx: Ctx, of: Retweeting, retweet: TweetId): Promise<void> {
  const tombstone = await findTombstone(ctx, retweet);
  if (tombstone === undefined || !isRetweetOf(tombstone, of)) return;
  await buryTweet(ctx, retweet, tombstone.createdAt);
  await unlistTweet(ctx, tombstone);
}

/**
 * Removes a deleted tweet from every list that can be derived from it; a reader that finds its id in another list
 * removes it there. Its author's timeline goes last: erasing an account finds the remaining work there.
 */
export async function unlistTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await removeFromHome(ctx, tweet.author, [tweet.id]);
  await unlistReply(ctx, tweet);
  await retractTweet(ctx, tweet);
  if (isMessage(tweet)) await unlistMessage(ctx, tweet);
  else await removeFromTimelines(ctx, [toTimelineTweet(tweet)]);
}
