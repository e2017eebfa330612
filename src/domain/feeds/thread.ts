import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId } from "../ids.ts";
import { type Page, readEntries, readPage } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { type PeoplePage, readPeople } from "../graph/people-lists.ts";
import type { Viewer } from "../graph/relations.ts";
import { recount } from "../tweets/counts.ts";
import { hydrate } from "./hydrate.ts";
import { readFeed } from "./read-feed.ts";
import type { FeedItem, View } from "./types.ts";
import { visibleItems } from "./tweet-visibility.ts";
import { findRemains, findTweet, recallTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** So many tweets above one are shown at once; each is a round trip. */
const ancestorsShown = 20;

/**
 * A tweet as a page of its own shows it; undefined if it is gone or not for the viewer to see. Whoever
 * asks for it sees it even if they muted its author or its words.
 */
export async function findFeedItem(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<FeedItem | undefined> {
  const [tweet] = await recallTweets(ctx, [{ id }]);
  return tweet === undefined ? undefined : await listOne(ctx, viewer, tweet, "everything");
}

/** The same of many, each named by its id and its stamp; those that are gone or hidden are left out. */
export async function findFeedItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  named: { id: TweetId; stamp: Stamp }[],
): Promise<FeedItem[]> {
  const { items } = await hydrate(ctx, named);
  const visible = await visibleItems(ctx, viewer, items, "everything");
  return visible.filter((item) => (item.retweet ?? item.tweet).createdAt === item.stamp);
}

async function listOne(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweet: Tweet,
  evenMuted?: "everything",
): Promise<FeedItem | undefined> {
  const entry = { id: tweet.id, stamp: tweet.createdAt };
  const { items } = await hydrate(ctx, [entry]);
  const [item] = await visibleItems(ctx, viewer, items, evenMuted);
  return item;
}

/** What a tweet answers, and what that answers, the first of them first. */
export interface Ancestors {
  /** Undefined where a tweet is gone or not for the viewer to see. */
  items: (FeedItem | undefined)[];
  /** A tweet further up, where there are too many to show. */
  earlier: TweetId | undefined;
}

export async function ancestorsOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweet: Tweet,
): Promise<Ancestors> {
  const items: (FeedItem | undefined)[] = [];
  let next = tweet.replyTo?.tweet;
  while (next !== undefined && items.length < ancestorsShown) {
    // A tombstone still knows what it answered.
    const above = await findRemains(ctx, next);
    const alive = above && (await findTweet(ctx, next));
    items.unshift(alive && (await listOne(ctx, viewer, alive)));
    next = above?.replyTo?.tweet;
  }
  return { items, earlier: next };
}

/** The replies to a tweet, newest first. */
export async function repliesTo(ctx: Ctx, id: TweetId, view: View): Promise<Page<FeedItem>> {
  return await readFeed(ctx, view, {
    read: (range) => readEntries(ctx.redis, keys.tweetReplies(id), range),
    heal: async (gone) => {
      await ctx.redis.zrem(keys.tweetReplies(id), ...gone);
      await recount(ctx, id, "replies");
    },
  });
}

/** Those who like a tweet, or retweeted it, and whom the viewer may see, the newest first. */
export async function peopleWho(
  ctx: Ctx,
  did: "likes" | "retweets",
  id: TweetId,
  view: View,
): Promise<PeoplePage> {
  const key = did === "likes" ? keys.tweetLikes(id) : keys.tweetRetweets(id);
  return await readPeople(ctx, view, (range) => readPage(ctx.redis, key, range));
}
