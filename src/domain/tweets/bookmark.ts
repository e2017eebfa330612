import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { type Page, readEntries } from "../page.ts";
import { stampAt } from "../stamp.ts";
import { requireNoBlock } from "../users/block.ts";
import { type Listed, readFeed, type View } from "./read-feed.ts";
import { getOriginal, getOriginalId } from "./store.ts";

/** More than anybody comes back to; the oldest go. */
const bookmarksKept = 10_000;

/**
 * Keeps a tweet for later, of a retweet the original. Nobody but this person knows, nor does a count.
 * Bookmarking twice changes nothing. Throws NotFound, Blocked.
 */
export async function bookmarkTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const { id: tweet, author } = await getOriginal(ctx, id);
  await requireNoBlock(ctx, user, author);
  const key = keys.bookmarks(user);
  await exec(ctx.redis, [
    ["zadd", key, "NX", stampAt(ctx.now(), tweet), tweet],
    ["zremrangebyrank", key, 0, -bookmarksKept - 1],
  ]);
}

/** Of a tweet that is gone, too. Throws NotFound for what never was. */
export async function unbookmarkTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  await ctx.redis.zrem(keys.bookmarks(user), await getOriginalId(ctx, id));
}

/** What somebody has bookmarked, the newest bookmark first; for them alone. */
export async function bookmarksFeed(ctx: Ctx, user: UserId, view: View): Promise<Page<Listed>> {
  return await readFeed(ctx, view, {
    read: (range) => readEntries(ctx.redis, keys.bookmarks(user), range),
    heal: async (ids) => void (await ctx.redis.zrem(keys.bookmarks(user), ...ids)),
  });
}
