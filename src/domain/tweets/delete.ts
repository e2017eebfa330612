import type { Ctx } from "../../context.ts";
import { Forbidden } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import { displaceTweets } from "../timelines/store.ts";
import { announceDeletion } from "./deletions.ts";
import { promiseUnindexing } from "./indexing.ts";
import { buryTweet, getTweet } from "./store.ts";

/**
 * Deletes one's own tweet. The tombstone is the truth: it is gone from every page at once, and
 * readers that still find its id somewhere take it out. Throws NotFound, Forbidden.
 */
export async function deleteTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const tweet = await getTweet(ctx, id);
  const { author } = tweet;
  if (author !== user) throw new Forbidden("somebody else's tweet");
  const stamp = stampAt(ctx.now(), id);
  await promiseUnindexing(ctx, tweet);
  await announceDeletion(ctx, id);
  await buryTweet(ctx, id, stamp);
  await displaceTweets(ctx, [{ tweet: id, author }]);
  await removeFromHome(ctx, author, [id]);
}
