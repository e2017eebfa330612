import type { Ctx } from "../../context.ts";
import type { TweetId, UserId } from "../ids.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import type { Picture } from "../pictures/picture.ts";
import { noteShown } from "../pictures/uploads.ts";
import { isRedisFull } from "../outage.ts";
import { promiseRemoval } from "../promises.ts";
import { removePictures } from "./attach-pictures.ts";
import { clearDeleted, unlistTweet } from "./delete-cleanup.ts";
import { promiseUnindexing } from "../search/index-tweet.ts";
import { unretweet } from "./retweet.ts";
import { getOwnTweet } from "../feeds/sight.ts";
import { buryTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/**
 * Deletes the user's own tweet. The tombstone is the truth: every page hides the tweet and its retweets at
 * once, and a reader that finds its id in a list removes it there. Throws NotFound, Forbidden.
 */
export async function deleteTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  await removeTweet(ctx, await getOwnTweet(ctx, user, id));
}

/**
 * The same for an author who may write it anew: its pictures are uploads again for a day, and are returned. With
 * `isForGood`, or if there is no room for them, they are deleted, too. A crash in the middle may delete them.
 */
export async function withdrawTweet(ctx: Ctx, user: UserId, id: TweetId, isForGood: boolean) {
  const tweet = await getOwnTweet(ctx, user, id);
  const isRoom = (await ctx.redis.hlen(keys.uploads(user))) < mostOf("uploads") / 2;
  let uploads = isRoom && !isForGood ? (tweet.pictures ?? []) : [];
  await noteShown(ctx, user, uploads).catch((error: unknown) => {
    if (!isRedisFull(error)) throw error;
    uploads = [];
  });
  await removeTweet(ctx, tweet, uploads);
  return uploads;
}

/**
 * Deletes without a check: the caller knows that the tweet may be deleted. The files of `kept` pictures stay. May run
 * twice.
 */
export async function removeTweet(ctx: Ctx, tweet: Tweet, kept: readonly Picture[] = []) {
  const { id, author } = tweet;
  if (tweet.retweetOf !== undefined) {
    await unretweet(ctx, author, id);
    return;
  }
  await promiseRemoval(ctx, () => ctx.jobs.chore("reconcile-deletion", { tweet: id }, "later"));
  await promiseRemoval(ctx, () => promiseUnindexing(ctx, tweet));
  await buryTweet(ctx, id);
  await ctx.memory.settled();
  await unlistTweet(ctx, tweet);
  // If the storage is away, the job deletes them.
  await removePictures(ctx, tweet, kept).catch((error: unknown) => {
    ctx.log.warn({ err: error }, "pictures of a deleted tweet wait for the job");
  });
  // If very many users liked it, the job does the rest.
  await clearDeleted(ctx, id, { pages: 1 });
}
