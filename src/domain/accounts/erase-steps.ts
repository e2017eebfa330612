import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { retract } from "../notifications/notify.ts";
import { takeOut } from "../actions/follow.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { eraseAddress } from "./mail-address.ts";
import { eraseReports } from "./erase-reports.ts";
import { eraseLikes, eraseRetweets, eraseTweets } from "./erase-tweets.ts";
import { forgetImport } from "./import-store.ts";
import { each, type EraseStep, nextBatch, remove } from "./erase-batch.ts";

/** In this order. Every feature that stores data about users has its step here. */
export const eraseSteps: readonly EraseStep[] = [
  eraseSessions,
  eraseImport,
  eraseMail,
  eraseFromSearch,
  eraseNotifications,
  eraseFollowers,
  eraseFollowings,
  eraseBlocks,
  eraseBlockedBy,
  eraseLikes,
  eraseRetweets,
  eraseTweets,
  eraseReports,
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

async function eraseMail(ctx: Ctx, user: UserId): Promise<boolean> {
  await eraseAddress(ctx, user);
  return false;
}

/** The user is marked as deleted, so this removes all their entries. */
async function eraseFromSearch(ctx: Ctx, user: UserId): Promise<boolean> {
  await ctx.jobs.chore("index-person", { user });
  return false;
}

/** Removes the user from each follower's followings, and their tweets from the follower's home, as an unfollow does. */
async function eraseFollowers(ctx: Ctx, user: UserId): Promise<boolean> {
  const followers = await nextBatch(ctx, keys.followers(user));
  const truths = followers.map((other): Command => ["zrem", keys.followings(userId(other)), user]);
  await exec(ctx.redis, truths);
  await each(followers, (follower) => takeOut(ctx, { follower: userId(follower), followee: user }));
  return await eraseList(ctx, keys.followers(user), followers, truths);
}

async function eraseFollowings(ctx: Ctx, user: UserId): Promise<boolean> {
  const followings = (await nextBatch(ctx, keys.followings(user))).map(userId);
  const mirrors = followings.map((other): Command => ["zrem", keys.followers(other), user]);
  await each(followings, (to) => retract(ctx, { to, kind: "follow", actor: user }));
  return await eraseList(ctx, keys.followings(user), followings, mirrors);
}

async function eraseBlocks(ctx: Ctx, user: UserId): Promise<boolean> {
  const blocked = await nextBatch(ctx, keys.blocks(user));
  const mirrors = blocked.map((other): Command => ["zrem", keys.blockedBy(userId(other)), user]);
  return await eraseList(ctx, keys.blocks(user), blocked, mirrors);
}

async function eraseBlockedBy(ctx: Ctx, user: UserId): Promise<boolean> {
  const blockers = await nextBatch(ctx, keys.blockedBy(user));
  const truths = blockers.map((other): Command => ["zrem", keys.blocks(userId(other)), user]);
  return await eraseList(ctx, keys.blockedBy(user), blockers, truths);
}

/** First of all, as erasing each tweet would read them. */
async function eraseNotifications(ctx: Ctx, user: UserId): Promise<boolean> {
  await ctx.redis.unlink(keys.notifications(user));
  return false;
}

/** Lists of the user alone, without mirrors. */
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
    keys.bookmarks,
    keys.codes,
    keys.guesses,
    keys.halfOpen,
    keys.passkeys,
    keys.totp,
    keys.totpSetup,
    keys.tokens,
    keys.recoveryCodes,
    keys.resetLinks,
    keys.mailPending,
  ];
  await exec(
    ctx.redis,
    own.map((key) => ["unlink", key(user)]),
  );
  return false;
}

/**
 * First the mirrors, then the entries, then the mirrors again: a job that read an entry before it was removed
 * may have written its mirror again.
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
