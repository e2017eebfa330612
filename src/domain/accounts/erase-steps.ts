import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { retract } from "../notifications/notify.ts";
import { stampAt } from "../stamp.ts";
import { settleFollow, takeOut } from "../timelines/follow.ts";
import { displaceTweets } from "../timelines/store.ts";
import { clearDeleted } from "../tweets/clear.ts";
import { recount } from "../tweets/counts.ts";
import { announceDeletion } from "../tweets/deletions.ts";
import { settleLike } from "../tweets/like.ts";
import { buryTweet, findRemains } from "../tweets/store.ts";
import { takeOffLists } from "../tweets/take-off.ts";
import { closeAllSessions } from "../users/leave.ts";
import { touchUser } from "../users/store.ts";
import { forgetImport } from "./import-store.ts";

/**
 * Erases a portion of what is kept of somebody who is deleted, and tells whether there may be more.
 * Each begins with what points to them elsewhere and ends with the entry that says where that is: so
 * whatever a crash leaves is found again.
 */
type EraseStep = (ctx: Ctx, user: UserId) => Promise<boolean>;

/** Of one list, in a portion. */
const atOnce = 100;

/** In this order. A feature that keeps something about people has its step here. */
export const eraseSteps: readonly EraseStep[] = [
  eraseSessions,
  eraseImport,
  eraseFromSearch,
  eraseNotifications,
  eraseFollowers,
  eraseFollowings,
  eraseBlocks,
  eraseBlockedBy,
  eraseLikes,
  eraseRetweets,
  eraseTweets,
  eraseOwnLists,
];

async function eraseSessions(ctx: Ctx, user: UserId): Promise<boolean> {
  await closeAllSessions(ctx, user);
  return false;
}

async function eraseImport(ctx: Ctx, user: UserId): Promise<boolean> {
  await forgetImport(ctx, user);
  return false;
}

/** The search for people reads whether somebody is there. */
async function eraseFromSearch(ctx: Ctx, user: UserId): Promise<boolean> {
  await ctx.jobs.chore("index-person", { user });
  return false;
}

/** Of each follower: that they follow, and the tweets in their home, as after an unfollow. */
async function eraseFollowers(ctx: Ctx, user: UserId): Promise<boolean> {
  const followers = await firstOf(ctx, keys.followers(user));
  await exec(
    ctx.redis,
    followers.map((follower) => ["zrem", keys.followings(userId(follower)), user]),
  );
  for (const follower of followers) {
    const edge = { follower: userId(follower), followee: user };
    await takeOut(ctx, edge);
    await settleFollow(ctx, edge);
  }
  return followers.length > 0;
}

async function eraseFollowings(ctx: Ctx, user: UserId): Promise<boolean> {
  const followings = (await firstOf(ctx, keys.followings(user))).map(userId);
  const mirrors = followings.map((other): Command => ["zrem", keys.followers(other), user]);
  await each(followings, (to) => retract(ctx, { to, kind: "follow", actor: user }));
  return await eraseList(ctx, keys.followings(user), followings, mirrors);
}

async function eraseBlocks(ctx: Ctx, user: UserId): Promise<boolean> {
  const blocked = await firstOf(ctx, keys.blocks(user));
  const mirrors = blocked.map((other): Command => ["zrem", keys.blockedBy(userId(other)), user]);
  return await eraseList(ctx, keys.blocks(user), blocked, mirrors);
}

async function eraseBlockedBy(ctx: Ctx, user: UserId): Promise<boolean> {
  const blockers = await firstOf(ctx, keys.blockedBy(user));
  const truths = blockers.map((other): Command => ["zrem", keys.blocks(userId(other)), user]);
  const more = await eraseList(ctx, keys.blockedBy(user), blockers, truths);
  for (const blocker of blockers) await touchUser(ctx, userId(blocker));
  return more;
}

async function eraseLikes(ctx: Ctx, user: UserId): Promise<boolean> {
  const liked = (await firstOf(ctx, keys.likes(user))).map(tweetId);
  await exec(
    ctx.redis,
    liked.map((tweet) => ["zrem", keys.tweetLikes(tweet), user]),
  );
  await each(liked, async (tweet) => {
    await retractReaction(ctx, user, { kind: "like", tweet });
    await recount(ctx, tweet, "likes");
  });
  await remove(ctx, keys.likes(user), liked);
  // A job about such a like may have found it still there and listed it again.
  await each(liked, (tweet) => settleLike(ctx, { user, tweet }));
  return liked.length > 0;
}

async function eraseRetweets(ctx: Ctx, user: UserId): Promise<boolean> {
  const retweeted = (await ctx.redis.hrandfield(keys.retweets(user), atOnce)) as string[];
  const originals = retweeted.map(tweetId);
  if (originals.length === 0) return false;
  await exec(
    ctx.redis,
    originals.map((tweet) => ["zrem", keys.tweetRetweets(tweet), user]),
  );
  await each(originals, async (tweet) => {
    await retractReaction(ctx, user, { kind: "retweet", tweet });
    await recount(ctx, tweet, "retweets");
  });
  await ctx.redis.hdel(keys.retweets(user), ...originals);
  return true;
}

async function retractReaction(
  ctx: Ctx,
  actor: UserId,
  { kind, tweet }: { kind: "like" | "retweet"; tweet: TweetId },
): Promise<void> {
  const remains = await findRemains(ctx, tweet);
  if (remains !== undefined) await retract(ctx, { to: remains.author, kind, tweet, actor });
}

/** Retweets are tweets, too. */
async function eraseTweets(ctx: Ctx, user: UserId): Promise<boolean> {
  const tweets = (await firstOf(ctx, keys.userTimeline(user))).map(tweetId);
  await each(tweets, (tweet) => eraseTweet(ctx, user, tweet));
  return tweets.length > 0;
}

/** As deleteTweet does, without a promise for each: this whole job is one. */
async function eraseTweet(ctx: Ctx, user: UserId, tweet: TweetId): Promise<void> {
  const remains = await findRemains(ctx, tweet);
  await announceDeletion(ctx, tweet);
  await buryTweet(ctx, tweet, stampAt(ctx.now(), tweet));
  await clearDeleted(ctx, tweet);
  if (remains === undefined) await displaceTweets(ctx, [{ tweet, author: user }]);
  else await takeOffLists(ctx, remains);
}

/** First of all, as it would be read for every tweet that is erased. */
async function eraseNotifications(ctx: Ctx, user: UserId): Promise<boolean> {
  await ctx.redis.unlink(keys.notifications(user));
  return false;
}

/** What only the person had, and nothing elsewhere mirrors. */
async function eraseOwnLists(ctx: Ctx, user: UserId): Promise<boolean> {
  const own = [
    keys.homeTimeline,
    keys.replies,
    keys.answers,
    keys.mutes,
    keys.mutedWords,
    keys.notifications,
    keys.avatar,
    keys.imported,
  ];
  await exec(
    ctx.redis,
    own.map((key) => ["unlink", key(user)]),
  );
  return false;
}

async function firstOf(ctx: Ctx, key: string): Promise<string[]> {
  return await ctx.redis.zrange(key, 0, String(atOnce - 1));
}

/**
 * First the mirrors, then the entries, then the mirrors again: a job that found an entry still there
 * may have written its mirror once more.
 */
async function eraseList(
  ctx: Ctx,
  key: string,
  members: string[],
  mirrors: Command[],
): Promise<boolean> {
  await exec(ctx.redis, mirrors);
  await remove(ctx, key, members);
  await exec(ctx.redis, mirrors);
  return members.length > 0;
}

async function remove(ctx: Ctx, key: string, members: string[]): Promise<void> {
  if (members.length > 0) await ctx.redis.zrem(key, ...members);
}

async function each<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  await Promise.all(items.map(work));
}
