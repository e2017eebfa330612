import type { Ctx } from "../../context.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import { removeFromTimelines } from "../timelines/store.ts";
import { retractTweet } from "../notifications/tweet-notices.ts";
import { unlistReply } from "../tweets/replies.ts";
import { toTimelineTweet, type Tweet } from "../tweets/tweet.ts";

/**
 * Removes a deleted tweet from every list that can be derived from it; readers that find it in other lists
 * skip it. Its author's timeline goes last: erasing an account finds the remaining work there.
 */
export async function unlistTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await removeFromHome(ctx, tweet.author, [tweet.id]);
  await unlistReply(ctx, tweet);
  await retractTweet(ctx, tweet);
  await removeFromTimelines(ctx, [toTimelineTweet(tweet)]);
}
