import type { Ctx } from "../../context.ts";
import { countInDay } from "../day-stats.ts";
import type { TweetId } from "../ids.ts";
import { countFollowers } from "../graph/follows.ts";
import { addToBigTimeline } from "../timelines/big.ts";
import { deliverTo, fanOut } from "../timelines/fan-out.ts";
import { type TimelineTweet, addToTimelines, type FanOutProgress } from "../timelines/store.ts";
import { commitPromised } from "../tweets/drafts.ts";
import { indexedAs, indexTweet, unindexTweet } from "../search/index-tweet.ts";
import { notifyOfTweet } from "../notifications/store.ts";
import { listReply } from "../tweets/reactions.ts";
import { stampAt } from "../stamp.ts";
import { buryTweet, findTweet } from "../tweets/store.ts";
import { toTimelineTweet, type Tweet } from "../tweets/tweet.ts";
import { readUser } from "../users/store.ts";
import { promiseWatchers } from "./notify-watchers.ts";
import { reconcileDeletion } from "./delete-cleanup.ts";
import { reconcileEdit, workFor } from "./reconcile-edit.ts";

/** Pages of followers that get a tweet at once; a queue of its own serves the rest. */
const firstPages = 20;

/** Lists a tweet at once where its author looks for it. The job does the same again. */
export async function listTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const placed = toTimelineTweet(tweet);
  await addToTimelines(ctx, placed);
  await deliverTo(ctx, placed, [tweet.author]);
  await listReply(ctx, tweet);
}

/**
 * The job promised by postTweet: lists the tweet and delivers it to the first followers, which are all for
 * most users. May run twice.
 */
export async function deliverTweet(ctx: Ctx, id: TweetId, progress: FanOutProgress): Promise<void> {
  await commitPromised(ctx, id);
  await unlessDeleted(ctx, id, async (placed, tweet) => {
    await listTweet(ctx, tweet);
    await notifyOfTweet(ctx, tweet);
    await promiseWatchers(ctx, tweet);
    await countInDay(ctx, "tweets", { id, at: tweet.createdAt / 1000 });
    if ((await countFollowers(ctx, placed.author)) > ctx.config.bigAccountFollowers) {
      await addToBigTimeline(ctx, placed);
      return;
    }
    const rest = await fanOut(ctx, placed, progress, firstPages);
    if (rest !== undefined) await ctx.jobs.spreadTweet(id, rest);
  });
}

/** The job promised by deliverTweet: delivers a tweet to all further followers. May run twice. */
export async function spreadTweet(ctx: Ctx, id: TweetId, progress: FanOutProgress): Promise<void> {
  await unlessDeleted(ctx, id, async (placed) => void (await fanOut(ctx, placed, progress)));
}

/**
 * If the tweet or its author's account is deleted before or meanwhile, nothing of it stays; if it is edited meanwhile,
 * nothing of what it was stays.
 */
async function unlessDeleted(
  ctx: Ctx,
  id: TweetId,
  work: (placed: TimelineTweet, tweet: Tweet) => Promise<void>,
): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet !== undefined) {
    await work(toTimelineTweet(tweet), tweet);
    await indexTweet(ctx, tweet);
    const [again, author] = await Promise.all([findTweet(ctx, id), readUser(ctx, tweet.author)]);
    if (again !== undefined && author !== undefined) {
      if (again.editedAt !== tweet.editedAt) await reconcileEdit(ctx, workFor(tweet));
      return;
    }
    // The account may have been erased before this tweet was listed.
    await buryTweet(ctx, id, stampAt(ctx.now(), id));
    await unindexTweet(ctx, indexedAs(tweet));
  }
  // The deletion may have looked before this run, or an earlier one that crashed, listed the tweet.
  await reconcileDeletion(ctx, id);
}
