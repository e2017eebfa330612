import type { Ctx } from "../../context.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import { displaceTweets } from "../timelines/store.ts";
import { retractTweet } from "../notifications/tweet-notices.ts";
import { unlistReply } from "../tweets/replies.ts";
import { placeOf, type Tweet } from "../tweets/tweet.ts";

/**
 * Takes a tweet that is gone off every list that can be named. Whoever still meets it elsewhere skips
 * it. Off its author's timeline last of all: there, whoever erases an account finds what is left to do.
 */
export async function takeOffLists(ctx: Ctx, tweet: Tweet): Promise<void> {
  await removeFromHome(ctx, tweet.author, [tweet.id]);
  await unlistReply(ctx, tweet);
  await retractTweet(ctx, tweet);
  await displaceTweets(ctx, [placeOf(tweet)]);
}
