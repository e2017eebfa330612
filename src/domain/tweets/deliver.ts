import type { Ctx } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import { fanOut, type Progress } from "../timelines/fan-out.ts";
import { displaceTweets, placeTweet } from "../timelines/store.ts";
import { findTweet } from "./store.ts";

/** The job promised by postTweet: lists the tweet and brings it to all followers. May run twice. */
export async function deliverTweet(ctx: Ctx, id: TweetId, progress: Progress): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  const { author } = tweet;
  const placed = { tweet: id, author, stamp: tweet.createdAt };
  await placeTweet(ctx, placed);
  await fanOut(ctx, placed, progress);
  // Deleted meanwhile? Then the deletion may have looked before this listed it.
  if ((await findTweet(ctx, id)) === undefined) await displaceTweets(ctx, [{ tweet: id, author }]);
}
