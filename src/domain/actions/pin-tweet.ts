import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden, NotFound } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import type { User } from "../users/store.ts";
import type { Viewer } from "../graph/relations.ts";
import type { FeedItem } from "../feeds/types.ts";
import { findRemains, getTweet } from "../tweets/store.ts";
import { findFeedItem } from "../feeds/thread.ts";

/**
 * Puts one's own tweet on top of one's profile, in the place of any other. Throws NotFound, and
 * Forbidden for what somebody else wrote, which includes what one has retweeted.
 */
export async function pinTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { author, retweetOf } = await getTweet(ctx, id);
  if (author !== user || retweetOf !== undefined) throw new Forbidden("somebody else's tweet");
  await ctx.redis.setField(keys.user(user), "pinned", id);
}

/**
 * Changes nothing unless it is this tweet that is pinned; it may be deleted by now. Throws NotFound,
 * Forbidden.
 */
export async function unpinTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined) throw new NotFound("tweet");
  if (remains.author !== user) throw new Forbidden("somebody else's tweet");
  await ctx.redis.clearField(keys.user(user), "pinned", id);
}

/** What a person has pinned, if it is still there and the viewer may see it. */
export async function findPinned(
  ctx: Ctx,
  viewer: Viewer | undefined,
  { id, pinned }: User,
): Promise<FeedItem | undefined> {
  const found = pinned && (await findFeedItem(ctx, viewer, pinned));
  return found?.tweet.author === id && found.retweet === undefined ? found : undefined;
}
