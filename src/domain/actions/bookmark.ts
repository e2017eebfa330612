import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { findActedOn, getSeen } from "../feeds/sight.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

const bookmarking: EdgeKind<{ user: UserId; tweet: TweetId }> = {
  list: ({ user }) => keys.bookmarks(user),
  member: ({ tweet }) => tweet,
};

/** Bookmarks a tweet, or a retweet's original. Only this user sees it. Throws NotFound, Blocked. */
export async function bookmarkTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { tweet } = await getSeen(ctx, user, id);
  await addEdge(ctx, bookmarking, { user, tweet: tweet.id });
  await ctx.redis.zremrangebyrank(keys.bookmarks(user), 0, -mostOf("bookmarks") - 1);
}

/** Works for a deleted or hidden tweet, too. */
export async function unbookmarkTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const isKept = (kept: TweetId) => ctx.redis.zscore(keys.bookmarks(user), kept);
  const tweet = await findActedOn(ctx, user, id, isKept);
  if (tweet !== undefined) await removeEdge(ctx, bookmarking, { user, tweet });
}
