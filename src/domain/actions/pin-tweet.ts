import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden, required } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import type { User } from "../users/store.ts";
import type { Viewer } from "../graph/relations.ts";
import { findTombstone } from "../tweets/store.ts";
import { getOwnTweet } from "../feeds/sight.ts";
import { findFeedItem } from "../feeds/thread.ts";

/**
 * Pins the user's own tweet to their profile and unpins any other. Throws NotFound, and Forbidden for another
 * user's tweet or a retweet.
 */
export async function pinTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { retweetOf } = await getOwnTweet(ctx, user, id);
  if (retweetOf !== undefined) throw new Forbidden("another user's tweet");
  await ctx.redis.setField(keys.user(user), "pinned", id);
}

/** Does nothing unless this tweet is pinned; it may be deleted by now. Throws NotFound, Forbidden. */
export async function unpinTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const tombstone = required(await findTombstone(ctx, id), "tweet");
  if (tombstone.author !== user) await getOwnTweet(ctx, user, id);
  await ctx.redis.clearFields(keys.user(user), "pinned", id);
}

/** The user's pinned tweet, if it exists and the viewer may see it. */
export async function findPinned(ctx: Ctx, viewer: Viewer | undefined, { id, pinned }: User) {
  const item = pinned && (await findFeedItem(ctx, viewer, pinned));
  return item?.tweet.author === id && item.retweet === undefined ? item : undefined;
}
