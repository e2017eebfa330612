import type { Chores, Ctx } from "../../context.ts";
import { countInDay, noteDelivery } from "../statistics.ts";
import { type TweetId, stampAt } from "../ids.ts";
import { countFollowers, hasWatchers, watchersAfter } from "../graph/follows.ts";
import { addToBigTimeline } from "../timelines/big.ts";
import { deliverTo } from "../timelines/delivery.ts";
import { audienceOf, isMessage } from "../tweets/audience.ts";
import { hearersOf, listMessage } from "../messages/list-message.ts";
import { fanOut } from "../timelines/fan-out.ts";
import { addToTimelines, type FanOutProgress, type TimelineTweet } from "../timelines/store.ts";
import { indexedAs, indexTweet, unindexTweet } from "../search/index-tweet.ts";
import { notifyAll } from "../notifications/notify-all.ts";
import { notifyOfTweet } from "../notifications/store.ts";
import { listPoll } from "../tweets/poll.ts";
import { listReply } from "../tweets/reactions.ts";
import { buryTweet, commitPromised, findTweet } from "../tweets/store.ts";
import { mentionsOrAnswers, toTimelineTweet, type Tweet } from "../tweets/tweet.ts";
import { readUser } from "../users/store.ts";
import { reconcileDeletion } from "./delete-cleanup.ts";
import { reconcileEdit, workFor } from "./reconcile-edit.ts";

/** Pages of followers that get a tweet at once; a queue of its own serves the rest. */
const firstPages = 20;

/** Lists a tweet at once where its author looks for it. The job does the same again. */
export async function listTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const placed = toTimelineTweet(tweet);
  if (isMessage(tweet)) await listMessage(ctx, tweet);
  else {
    await addToTimelines(ctx, placed);
    await deliverTo(ctx, placed, [tweet.author]);
  }
  if (tweet.replyTo !== undefined) await listReply(ctx, tweet);
  if (tweet.poll !== undefined) await listPoll(ctx, tweet);
}

/**
 * The job promised by postTweet: lists the tweet and delivers it to the first followers, which are all for
 * most users. May run twice.
 */
export async function deliverTweet(ctx: Ctx, id: TweetId, progress: FanOutProgress): Promise<void> {
  await commitPromised(ctx, id);
  await unlessDeleted(ctx, id, async (placed, tweet) => {
    await listTweet(ctx, tweet);
    if (isMessage(tweet)) {
      await notifyOfTweet(ctx, tweet, await hearersOf(ctx, tweet));
      return await noteDelivery(ctx, placed.stamp);
    }
    await notifyOfTweet(ctx, tweet);
    await promiseWatchers(ctx, tweet);
    await promisePing(ctx, tweet);
    await countInDay(ctx, "tweets", { id, at: tweet.createdAt / 1000 });
    if ((await countFollowers(ctx, placed.author)) > ctx.config.bigAccountFollowers) {
      await addToBigTimeline(ctx, placed);
      return await noteDelivery(ctx, placed.stamp);
    }
    const rest = await fanOut(ctx, placed, progress, firstPages);
    if (rest === undefined) await noteDelivery(ctx, placed.stamp);
    else await ctx.jobs.spreadTweet(id, rest);
  });
}

/** The job promised by deliverTweet: delivers a tweet to all further followers. May run twice. */
export async function spreadTweet(ctx: Ctx, id: TweetId, progress: FanOutProgress): Promise<void> {
  await unlessDeleted(ctx, id, async (placed) => {
    await fanOut(ctx, placed, progress);
    await noteDelivery(ctx, placed.stamp);
  });
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
    await buryTweet(ctx, id);
    await unindexTweet(ctx, indexedAs(tweet));
  }
  // The deletion may have looked before this run, or an earlier one that crashed, listed the tweet.
  await reconcileDeletion(ctx, id);
}

/** Users per job. */
const watchersPerJob = 200;

/** Promises to notify the users who asked for it of a new tweet. Not of retweets and replies to others. */
async function promiseWatchers(ctx: Ctx, tweet: Tweet): Promise<void> {
  const { id, author, retweetOf, replyTo } = tweet;
  if (retweetOf !== undefined || (replyTo !== undefined && replyTo.author !== author)) return;
  if (await hasWatchers(ctx, author))
    await ctx.jobs.chore("notify-watchers", { tweet: id, after: 0 });
}

/** Promises to tell the hub of a tweet in the feeds of an unprotected author. The job looks at the account again. */
async function promisePing(ctx: Ctx, tweet: Tweet): Promise<void> {
  if (ctx.config.websubHub === undefined || tweet.replyTo !== undefined) return;
  if (audienceOf(tweet) === "public") await ctx.jobs.visit({ kind: "hub", user: tweet.author });
}

/** The promised chore: notifies the next users, and promises the rest. May run twice. */
export async function notifyWatchers(ctx: Ctx, { tweet: id, after }: Chores["notify-watchers"]) {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  const watchers = await watchersAfter(ctx, tweet.author, { after, limit: watchersPerJob });
  // Users who asked for it later, and those who are notified of a reply or a mention, are left out.
  const hearers = watchers.flatMap(({ id: user, stamp }) =>
    stamp <= tweet.createdAt && !mentionsOrAnswers(tweet, user) ? [user] : [],
  );
  const stamp = stampAt(ctx.now(), id);
  await notifyAll(ctx, hearers, { kind: "status", tweet: id, actor: tweet.author, stamp });
  const last = watchers.at(-1)?.stamp;
  if (watchers.length >= watchersPerJob && last !== undefined && last <= tweet.createdAt)
    await ctx.jobs.chore("notify-watchers", { tweet: id, after: last });
}
