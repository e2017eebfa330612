import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { buryTweet, findRemains, findTweet } from "../tweets/store.ts";
import { limitReplies } from "../tweets/replies.ts";
import { takeOffLists } from "./unlist-tweet.ts";

/** People whose likes or retweets are cleared at a time. */
const atOnce = 100;

/** The promised job: whatever a process that deleted a tweet did not come to do. May run twice. */
export async function reconcileDeletion(ctx: Ctx, id: TweetId): Promise<void> {
  const remains = await findRemains(ctx, id);
  if (remains === undefined || (await findTweet(ctx, id)) !== undefined) return;
  await takeOffLists(ctx, remains);
  await clearDeleted(ctx, id);
}

/**
 * Takes a deleted tweet out of the lists of those who liked it, and its retweets away, so that their
 * counts agree with what they show; clears so many `pages` of people, or all. May run twice; leaves a
 * living tweet alone. Returns whether there is more to do.
 */
export async function clearDeleted(ctx: Ctx, id: TweetId, pages = Infinity): Promise<boolean> {
  if ((await findTweet(ctx, id)) !== undefined) return false;
  for (let page = 0; page < pages; page += 1) {
    const [likers, retweeters] = (await exec(ctx.redis, [
      ["zrange", keys.tweetLikes(id), 0, atOnce - 1],
      ["zrange", keys.tweetRetweets(id), 0, atOnce - 1],
    ])) as string[][];
    await clearLikes(ctx, id, (likers ?? []).map(userId));
    await clearRetweets(ctx, id, (retweeters ?? []).map(userId));
    if ((likers?.length ?? 0) < atOnce && (retweeters?.length ?? 0) < atOnce) {
      await limitReplies(ctx, id);
      return false;
    }
  }
  return true;
}

async function clearLikes(ctx: Ctx, id: TweetId, likers: UserId[]): Promise<void> {
  await exec(
    ctx.redis,
    likers.map((user): Command => ["zrem", keys.likes(user), id]),
  );
  if (likers.length > 0) await ctx.redis.zrem(keys.tweetLikes(id), ...likers);
}

/** A retweet without its original is shown nowhere; it is deleted like any other tweet. */
/** Deletes a retweet as such; the list of its author is for the caller. */
export async function clearRetweets(ctx: Ctx, id: TweetId, retweeters: UserId[]): Promise<void> {
  const stands = await exec(
    ctx.redis,
    retweeters.map((user): Command => ["hget", keys.retweets(user), id]),
  );
  for (const [index, user] of retweeters.entries()) {
    const held = stands[index];
    if (typeof held === "string") await clearRetweet(ctx, tweetId(held));
    await ctx.redis.hdel(keys.retweets(user), id);
    await ctx.redis.zrem(keys.tweetRetweets(id), user);
  }
}

/** Deletes a retweet as such; the list of its author is for the caller. */
export async function clearRetweet(ctx: Ctx, retweet: TweetId): Promise<void> {
  const remains = await findRemains(ctx, retweet);
  if (remains === undefined) return;
  await buryTweet(ctx, retweet, remains.createdAt);
  await takeOffLists(ctx, remains);
}
