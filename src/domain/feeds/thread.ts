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

/** Max tweets shown above a tweet; each is a round trip. */
const ancestorsShown = 20;

/**
 * A single tweet as its own page shows it; undefined if it is gone or hidden from the viewer. The viewer's
 * mutes do not count, as they asked for this tweet.
 */
export async function findFeedItem(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<FeedItem | undefined> {
  const [tweet] = await recallTweets(ctx, [{ id }]);
  return tweet === undefined ? undefined : await listOne(ctx, viewer, tweet, "everything");
}

/** The same for many, each with its id and stamp; without those that are gone or hidden. */
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

/** The answered tweet, the tweet that it answers, and so on; topmost first. */
export interface Ancestors {
  /** Undefined for a tweet that is gone or hidden from the viewer. */
  items: (FeedItem | undefined)[];
  /** The next tweet further up, if there are too many to show. */
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
    // A tombstone still knows the tweet that it answered.
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

/** The users who liked or retweeted a tweet, without those hidden from the viewer, newest first. */
export async function peopleWho(
  ctx: Ctx,
  did: "likes" | "retweets",
  id: TweetId,
  view: View,
): Promise<PeoplePage> {
  const key = did === "likes" ? keys.tweetLikes(id) : keys.tweetRetweets(id);
  return await readPeople(ctx, view, (range) => readPage(ctx.redis, key, range));
}
