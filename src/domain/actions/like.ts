import type { Chores, Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { findActedOn, getSeen } from "../feeds/sight.ts";
import { recount } from "../tweets/reactions.ts";
import { notifyOfReaction } from "../notifications/store.ts";
import { findTweet } from "../tweets/store.ts";
import { reconcile } from "../promises.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

type Like = Chores["reconcile-like"];

const liking: EdgeKind<Like> = {
  list: ({ user }) => keys.likes(user),
  member: ({ tweet }) => tweet,
  promise: (ctx, like) => ctx.jobs.chore("reconcile-like", like, "later"),
  reconcile: reconcileLike,
};

/** Likes a tweet, or a retweet's original. Throws NotFound, Blocked. */
export async function likeTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { tweet } = await getSeen(ctx, user, id);
  await addEdge(ctx, liking, { user, tweet: tweet.id });
}

/** Works for a deleted or hidden tweet, too, so that a list of likes can be cleared. */
export async function unlikeTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const isLiked = (liked: TweetId) => ctx.redis.zscore(keys.likes(user), liked);
  const tweet = await findActedOn(ctx, user, id, isLiked);
  if (tweet !== undefined) await removeEdge(ctx, liking, { user, tweet });
}

/**
 * The job promised by both: makes the tweet's likers, its count and its notification agree with the user's
 * list. A deleted tweet is removed from that list first. May run twice.
 */
export async function reconcileLike(ctx: Ctx, { user, tweet }: Like): Promise<void> {
  const likers = keys.tweetLikes(tweet);
  await reconcile(
    async () => {
      const author = (await findTweet(ctx, tweet))?.author;
      if (author === undefined) await ctx.redis.zrem(keys.likes(user), tweet);
      return { author, since: await ctx.redis.zscore(keys.likes(user), tweet) };
    },
    async ({ author, since }) => {
      if (since === null) await ctx.redis.zrem(likers, user);
      else await ctx.redis.zadd(likers, since, user);
      const stamp = since === null ? undefined : Number(since);
      if (author !== undefined) {
        const reaction = { kind: "like", actor: user, stamp } as const;
        await notifyOfReaction(ctx, { id: tweet, author }, reaction);
      }
      await recount(ctx, tweet, "likes");
    },
  );
}
