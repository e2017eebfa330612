import type { Ctx } from "../../context.ts";
import { forEachOf } from "../concurrency-limit.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys, unlinkedWith } from "../../redis/keys.ts";
import { clearDeleted, unlistTweet } from "../actions/delete-cleanup.ts";
import { removePictures } from "../actions/attach-pictures.ts";
import { forgetFollowee } from "../actions/follow.ts";
import { reconcileLike } from "../actions/like.ts";
import { eraseInvitations } from "../community/invitations.ts";
import { clearFollowOptions } from "../graph/follows.ts";
import { eraseLists } from "../graph/lists.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { eraseHeader } from "../pictures/header.ts";
import { removeFiles, removeUpload, uploadsOf } from "../pictures/files.ts";
import { unlistMessage } from "../messages/list-message.ts";
import { retract } from "../notifications/store.ts";
import { indexedAs, unindexTweet } from "../search/index-tweet.ts";
import { removeFromTimelines } from "../timelines/store.ts";
import { takeBackVote } from "../tweets/poll.ts";
import { recount, retweetersOf } from "../tweets/reactions.ts";
import { draftedPictures } from "../tweets/saved-drafts.ts";
import { buryTweet, findTombstone, findTweet } from "../tweets/store.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { chooseDigest } from "./digest.ts";
import { forgetImport } from "./import-store.ts";
import { eraseReports } from "../moderation/report.ts";
import { eraseAddress } from "./mail.ts";

/**
 * Erases a batch of a deleted user's data, and tells whether there may be more. Each step first removes what refers to
 * the user elsewhere, and last the entry that tells where that is: so a later run finds what a crash left.
 */
type EraseStep = (ctx: Ctx, user: UserId, alive?: () => void) => Promise<boolean>;

/** In this order. Every feature that stores data about users has its step here. */
export const eraseSteps: readonly EraseStep[] = [
  eraseAtOnce,
  // The user and their tweets leave each follower's lists and home, as after an unfollow.
  edgeStep(keys.followers, keys.followings, (ctx, user, follower) =>
    forgetFollowee(ctx, { follower, followee: user }),
  ),
  edgeStep(keys.followings, keys.followers, async (ctx, user, to) => {
    await retract(ctx, { to, kind: "follow", actor: user });
    await clearFollowOptions(ctx, { follower: user, followee: to });
  }),
  edgeStep(keys.requested, keys.followRequests, (ctx, user, to) =>
    retract(ctx, { to, kind: "follow_request", actor: user }),
  ),
  edgeStep(keys.followRequests, keys.requested),
  edgeStep(keys.blocks, keys.blockedBy),
  edgeStep(keys.blockedBy, keys.blocks),
  eraseLikes,
  eraseRetweets,
  eraseVotes,
  eraseDrafts,
  eraseTweets(keys.userTimeline),
  eraseTweets(keys.sentMessages),
  eraseUploads,
  eraseReports,
  // Data of the user alone, without mirrors.
  async (ctx, user) => {
    await execEach(ctx.redis, unlinkedWith(user), (key) => ["unlink", key]);
    return false;
  },
];

/** Entries of one list in a batch. */
const batchSize = 100;
/** Each takes three files from the storage. */
const uploadsAtOnce = 10;

async function nextBatch(ctx: Ctx, key: string): Promise<string[]> {
  return await ctx.redis.zrange(key, 0, String(batchSize - 1));
}

async function remove(ctx: Ctx, key: string, members: string[]): Promise<void> {
  if (members.length > 0) await ctx.redis.zrem(key, ...members);
}

async function eraseAtOnce(ctx: Ctx, user: UserId): Promise<boolean> {
  await closeAllSessions(ctx, user);
  await forgetImport(ctx, user);
  // Accounts that came by them stay.
  await eraseInvitations(ctx, user);
  await eraseAddress(ctx, user);
  await chooseDigest(ctx, user, false);
  await ctx.redis.zrem(keys.selfDeleting, user);
  await ctx.redis.zrem(keys.dueDrafts, user);
  await eraseLists(ctx, user);
  // The user is marked as deleted, so this removes all their entries.
  await ctx.jobs.chore("index-person", { user });
  // First, as erasing each tweet would read them.
  await ctx.redis.unlink(keys.notifications(user));
  await ctx.redis.unlink(keys.push(user));
  return false;
}

type ListOf = (user: UserId) => string;

/**
 * Removes the user from the others' lists, then the others from the user's list, then the user again: a job
 * that read an entry before it was removed may have written the other one again.
 */
function edgeStep(
  own: ListOf,
  theirs: ListOf,
  clear?: (ctx: Ctx, user: UserId, other: UserId) => Promise<void>,
): EraseStep {
  return async (ctx, user) => {
    const others = (await nextBatch(ctx, own(user))).map(userId);
    const removals = others.map((other): Command => ["zrem", theirs(other), user]);
    await exec(ctx.redis, removals);
    await Promise.all(others.map(async (other) => clear?.(ctx, user, other)));
    await remove(ctx, own(user), others);
    await exec(ctx.redis, removals);
    return others.length > 0;
  };
}

async function eraseLikes(ctx: Ctx, user: UserId): Promise<boolean> {
  const liked = (await nextBatch(ctx, keys.likes(user))).map(tweetId);
  await withdrawReactions(ctx, user, "like", liked);
  await remove(ctx, keys.likes(user), liked);
  // A job for such a like may have read it before and listed it again.
  await Promise.all(liked.map((tweet) => reconcileLike(ctx, { user, tweet })));
  return liked.length > 0;
}

async function eraseRetweets(ctx: Ctx, user: UserId): Promise<boolean> {
  const retweeted = (await ctx.redis.hrandfield(keys.retweets(user), batchSize)) as string[];
  const originals = retweeted.map(tweetId);
  if (originals.length === 0) return false;
  await withdrawReactions(ctx, user, "retweet", originals);
  await ctx.redis.hdel(keys.retweets(user), ...originals);
  return true;
}

async function eraseVotes(ctx: Ctx, user: UserId): Promise<boolean> {
  const tweets = (await nextBatch(ctx, keys.votes(user))).map(tweetId);
  await Promise.all(tweets.map((tweet) => takeBackVote(ctx, user, tweet)));
  return tweets.length > 0;
}

/** From the tweets' lists, counts, and notifications of their authors. */
async function withdrawReactions(
  ctx: Ctx,
  actor: UserId,
  kind: "like" | "retweet",
  tweets: TweetId[],
): Promise<void> {
  const lists = tweets.flatMap((tweet) =>
    kind === "like" ? [keys.tweetLikes(tweet)] : retweetersOf(tweet),
  );
  await execEach(ctx.redis, lists, (list) => ["zrem", list, actor]);
  await Promise.all(
    tweets.map(async (tweet) => {
      const tombstone = await findTombstone(ctx, tweet);
      if (tombstone !== undefined) await retract(ctx, { to: tombstone.author, kind, tweet, actor });
      await recount(ctx, tweet, `${kind}s`);
    }),
  );
}

/** Retweets are tweets, too. */
function eraseTweets(list: ListOf): EraseStep {
  return async (ctx, user, alive) => {
    const tweets = (await nextBatch(ctx, list(user))).map(tweetId);
    await Promise.all(tweets.map((tweet) => eraseTweet(ctx, user, { tweet, alive })));
    return tweets.length > 0;
  };
}

/** As removeTweet does, but without a promise for each: this whole job is promised. */
async function eraseTweet(
  ctx: Ctx,
  user: UserId,
  { tweet, alive }: { tweet: TweetId; alive: (() => void) | undefined },
): Promise<void> {
  const [living, tombstone] = await Promise.all([findTweet(ctx, tweet), findTombstone(ctx, tweet)]);
  // Before burying, while its text tells its terms; again afterwards, if a delivery was just listing it.
  if (living !== undefined) await unindexTweet(ctx, indexedAs(living));
  await buryTweet(ctx, tweet);
  if (living !== undefined) await unindexTweet(ctx, indexedAs(living));
  await clearDeleted(ctx, tweet, { pages: Infinity, alive });
  if (tombstone !== undefined) await removePictures(ctx, tombstone);
  if (tombstone === undefined) {
    await removeFromTimelines(ctx, [{ tweet, author: user }]);
    await unlistMessage(ctx, { id: tweet, author: user });
    // A tombstone does not tell the people of a message.
  } else await unlistTweet(ctx, living ?? tombstone);
}

/** Before the tweets: erasing each one with pictures would read all drafts. */
async function eraseDrafts(ctx: Ctx, user: UserId): Promise<boolean> {
  const drafted = await draftedPictures(ctx, user);
  await removeFiles(ctx, [...drafted.values()]);
  await ctx.redis.unlink(keys.savedDrafts(user));
  return false;
}

/** Uploads that no tweet shows, and the header picture, with their files. */
async function eraseUploads(ctx: Ctx, user: UserId): Promise<boolean> {
  const uploads = await uploadsOf(ctx, user);
  await forEachOf(uploads, uploadsAtOnce, (upload) => removeUpload(ctx, { user, upload }));
  await eraseHeader(ctx, user);
  await ctx.redis.unlink(keys.pictures(user));
  return false;
}
