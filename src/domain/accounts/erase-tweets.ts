import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { retract } from "../notifications/notify.ts";
import { stampAt } from "../stamp.ts";
import { removeFromTimelines } from "../timelines/store.ts";
import { clearDeleted } from "../actions/delete-cleanup.ts";
import { recount } from "../tweets/counts.ts";
import { indexedAs, unindexTweet } from "../search/index-tweet.ts";
import { reconcileLike } from "../actions/like.ts";
import { buryTweet, findRemains, findTweet } from "../tweets/store.ts";
import { unlistTweet } from "../actions/unlist-tweet.ts";
import { atOnce, each, nextBatch, remove } from "./erase-batch.ts";

export async function eraseLikes(ctx: Ctx, user: UserId): Promise<boolean> {
  const liked = (await nextBatch(ctx, keys.likes(user))).map(tweetId);
  await exec(
    ctx.redis,
    liked.map((tweet) => ["zrem", keys.tweetLikes(tweet), user]),
  );
  await each(liked, async (tweet) => {
    await retractReaction(ctx, user, { kind: "like", tweet });
    await recount(ctx, tweet, "likes");
  });
  await remove(ctx, keys.likes(user), liked);
  // A job for such a like may have read it before and listed it again.
  await each(liked, (tweet) => reconcileLike(ctx, { user, tweet }));
  return liked.length > 0;
}

export async function eraseRetweets(ctx: Ctx, user: UserId): Promise<boolean> {
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
export async function eraseTweets(ctx: Ctx, user: UserId): Promise<boolean> {
  const tweets = (await nextBatch(ctx, keys.userTimeline(user))).map(tweetId);
  await each(tweets, (tweet) => eraseTweet(ctx, user, tweet));
  return tweets.length > 0;
}

/** As removeTweet does, but without a promise for each: this whole job is promised. */
async function eraseTweet(ctx: Ctx, user: UserId, tweet: TweetId): Promise<void> {
  const [found, remains] = await Promise.all([findTweet(ctx, tweet), findRemains(ctx, tweet)]);
  // Before burying, while its text tells its terms; again afterwards, if a delivery was just listing it.
  if (found !== undefined) await unindexTweet(ctx, indexedAs(found));
  await buryTweet(ctx, tweet, stampAt(ctx.now(), tweet));
  if (found !== undefined) await unindexTweet(ctx, indexedAs(found));
  await clearDeleted(ctx, tweet);
  if (remains === undefined) await removeFromTimelines(ctx, [{ tweet, author: user }]);
  else await unlistTweet(ctx, remains);
}
