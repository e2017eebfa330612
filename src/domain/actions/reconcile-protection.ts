import type { Ctx } from "../../context.ts";
import { isProtected, someRequesters } from "../graph/follow-requests.ts";
import { type Stamp, tweetId, type UserId } from "../ids.ts";
import { userEntries } from "../timelines/store.ts";
import { listReply, listRetweeter } from "../tweets/reactions.ts";
import { findTweet, readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { reconcileDeletion } from "./delete-cleanup.ts";
import { reconcileRequest } from "./follow.ts";
import { reconcileRetweet } from "./retweet.ts";

/** Max tweets that a run looks at, but for ties. */
const tweetsAtOnce = 100;

/**
 * The chore promised when an account becomes protected, or open: its replies and retweets are not counted any more, or
 * are again. A part in each run, oldest first: what is written meanwhile is counted rightly. May run twice.
 */
export async function reconcileProtection(
  ctx: Ctx,
  { user, after }: { user: UserId; after: Stamp },
): Promise<void> {
  const range = { before: undefined, after, limit: tweetsAtOnce, upwards: true };
  const entries = await userEntries(ctx, user, range);
  const ids = entries.map(({ id }) => tweetId(id));
  for (const tweet of await readTweets(ctx, ids))
    if (tweet !== undefined) await listAgain(ctx, tweet);
  const last = entries.at(-1);
  if (last !== undefined && entries.length >= tweetsAtOnce)
    await ctx.jobs.chore("reconcile-protection", { user, after: last.stamp });
}

/** Notifies nobody. If the tweet is deleted meanwhile, that may have looked before: it is done again. */
async function listAgain(ctx: Ctx, tweet: Tweet): Promise<void> {
  const { id, author: user, createdAt, replyTo, retweetOf } = tweet;
  if (replyTo === undefined && retweetOf === undefined) return;
  const retweeting = retweetOf && { user, tweet: retweetOf.tweet };
  if (retweeting === undefined) await listReply(ctx, tweet);
  else await listRetweeter(ctx, retweeting, createdAt);
  if ((await findTweet(ctx, id)) !== undefined) return;
  if (retweeting === undefined) await reconcileDeletion(ctx, id);
  else await reconcileRetweet(ctx, retweeting);
}

/** Max requests that a run accepts. */
const requestsAtOnce = 50;

/** The chore promised when protection ends: accepts all requests, a part in each run. Stops if it has begun again. */
export async function acceptRequests(ctx: Ctx, { user: followee }: { user: UserId }) {
  if (await isProtected(ctx, followee)) return;
  const requesters = await someRequesters(ctx, followee, requestsAtOnce);
  for (const follower of requesters) await reconcileRequest(ctx, { follower, followee });
  if (requesters.length === requestsAtOnce)
    await ctx.jobs.chore("accept-requests", { user: followee });
}
