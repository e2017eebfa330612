import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { promiseRemoval, reconcile } from "../promises.ts";
import { newStamp } from "../counters.ts";
import { writtenAmong } from "../timelines/store.ts";
import { findActedOn, getSeen } from "../feeds/sight.ts";
import { isMessage, isOpen } from "../tweets/audience.ts";
import { Invalid } from "../errors.ts";
import type { User } from "../users/store.ts";
import { isRetweetOf, listRetweeter, type Retweeting } from "../tweets/reactions.ts";
import { listTweet } from "./deliver-tweet.ts";
import { notifyOfReaction } from "../notifications/store.ts";
import { buryTweet, createTweet, findTombstone, findTweet, takeFreeIds } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { unlistTweet } from "./delete-cleanup.ts";

/**
 * Retweets a tweet, or a retweet's original. The user's hash of retweets is the truth: it names one tweet as
 * the retweet, so retweeting twice changes nothing. From then on the promised job does the rest if this
 * process ends. Returns the retweet's id; undefined if it was taken back meanwhile. Throws NotFound, Blocked,
 * Invalid.
 */
export async function retweet(ctx: Ctx, user: UserId, id: TweetId): Promise<TweetId | undefined> {
  const { tweet: original, author } = await getSeen(ctx, user, id);
  if (!mayRetweet(original, author, user)) throw new Invalid({ form: "retweet.closed" });
  const retweeting = { user, tweet: original.id };
  await ctx.jobs.chore("reconcile-retweet", retweeting, "later");
  await claimRetweet(ctx, retweeting);
  await reconcileRetweet(ctx, retweeting);
  return await findRetweet(ctx, retweeting);
}

/** Everyone may retweet what everyone may see, and an author what is for followers. */
export function mayRetweet(tweet: Tweet, author: User, user: UserId | undefined): boolean {
  return isOpen(tweet, author) || (author.id === user && !isMessage(tweet));
}

/** Takes back a retweet, also of a deleted or hidden tweet; does nothing if there is none. */
export async function unretweet(ctx: Ctx, user: UserId, named: TweetId): Promise<void> {
  const isRetweeted = (original: TweetId) => ctx.redis.hget(keys.retweets(user), original);
  const tweet = await findActedOn(ctx, user, named, isRetweeted);
  if (tweet === undefined) return;
  const retweeting = { user, tweet };
  const id = await findRetweet(ctx, retweeting);
  // Taking back has no limit, so it promises a job only where there is something to take back.
  if (id !== undefined) {
    await promiseRemoval(ctx, () => ctx.jobs.chore("reconcile-retweet", retweeting, "later"));
    // If the id was only claimed, the tombstone prevents writing the retweet.
    await buryTweet(ctx, id);
  }
  // Also if the hash has no entry: a failover may have lost it, while the original still lists the user.
  await reconcileRetweet(ctx, retweeting);
}

/** Makes all other data agree with the user's hash. May run twice. */
export async function reconcileRetweet(ctx: Ctx, retweeting: Retweeting): Promise<void> {
  const { user, tweet } = retweeting;
  await reconcile(
    async () => {
      const id = await findRetweet(ctx, retweeting);
      const author = (await findTweet(ctx, tweet))?.author;
      // A deleted tweet keeps no retweets.
      if (id !== undefined && author === undefined) await buryTweet(ctx, id);
      // Undefined if it was taken back.
      const alive = id && author && (await writeRetweet(ctx, retweeting, id));
      return { id, author, alive };
    },
    async ({ id, author, alive }) => {
      if (alive !== undefined) await listRetweet(ctx, alive);
      await listRetweeter(ctx, retweeting, alive?.createdAt);
      if (author !== undefined) {
        const reaction = { kind: "retweet", actor: user, stamp: alive?.createdAt } as const;
        await notifyOfReaction(ctx, { id: tweet, author }, reaction);
      }
      if (id !== undefined && alive === undefined) await dropEntry(ctx, retweeting, id);
    },
  );
}

/** Claims an id for the retweet, unless there is one that was not taken back. */
async function claimRetweet(ctx: Ctx, retweeting: Retweeting): Promise<void> {
  const { user, tweet } = retweeting;
  const existing = await findRetweet(ctx, retweeting);
  if (existing !== undefined) {
    if ((await writeRetweet(ctx, retweeting, existing)) !== undefined) return;
    await dropEntry(ctx, retweeting, existing);
  }
  const [id = ""] = await takeFreeIds(ctx, 1);
  await ctx.redis.hsetnx(keys.retweets(user), tweet, id);
}

/** Drops the entry if its id belongs to another tweet: the id was given out twice. */
async function findRetweet(ctx: Ctx, { user, tweet }: Retweeting): Promise<TweetId | undefined> {
  const field = await ctx.redis.hget(keys.retweets(user), tweet);
  if (field === null) return undefined;
  const id = tweetId(field);
  const written = await findTombstone(ctx, id);
  if (written === undefined || isRetweetOf(written, { user, tweet })) return id;
  await ctx.redis.clearFields(keys.retweets(user), tweet, id);
  return undefined;
}

/** The retweet, written if it was only claimed; undefined if it was taken back. */
async function writeRetweet(ctx: Ctx, { user, tweet }: Retweeting, id: TweetId) {
  const written = await findTweet(ctx, id);
  if (written !== undefined) return written;
  const original = await findTombstone(ctx, tweet);
  if (original === undefined) return undefined;
  const createdAt = newStamp(ctx, id);
  const retweetOf = { tweet, author: original.author };
  await createTweet(ctx, { id, author: user, text: "", createdAt, retweetOf });
  const now = await findTweet(ctx, id);
  return now !== undefined && isRetweetOf(now, { user, tweet }) ? now : undefined;
}

/** Promises delivery and lists the retweet. Does nothing if it is listed: delivery was promised before. */
async function listRetweet(ctx: Ctx, written: Tweet): Promise<void> {
  const { id, author } = written;
  if ((await writtenAmong(ctx, author, [id])).length > 0) return;
  await ctx.jobs.deliverTweet(id);
  await listTweet(ctx, written);
  // Taken back meanwhile, with all that was listed before.
  if ((await findTweet(ctx, id)) === undefined) await unlistTweet(ctx, written);
}

/** The last step of taking back: the entry is needed to find the rest. */
async function dropEntry(ctx: Ctx, { user, tweet }: Retweeting, id: TweetId): Promise<void> {
  const tombstone = await findTombstone(ctx, id);
  if (tombstone !== undefined && isRetweetOf(tombstone, { user, tweet }))
    await unlistTweet(ctx, tombstone);
  // Only this id: the entry may name a new retweet by now.
  await ctx.redis.clearFields(keys.retweets(user), tweet, id);
}
