import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId } from "../ids.ts";
import { type Page, readEntries, readPage } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { type PeoplePage, readPeople } from "../users/people-page.ts";
import type { Viewer } from "../users/relations.ts";
import { recount } from "./counts.ts";
import { listTweets } from "./list-tweets.ts";
import { type Listed, readFeed, type View } from "./read-feed.ts";
import { sightOf } from "./sight.ts";
import { findRemains, findTweet, recallTweets } from "./store.ts";
import type { Tweet } from "./tweet.ts";

/** So many tweets above one are shown at once; each is a round trip. */
const ancestorsShown = 20;

/**
 * A tweet as a page of its own shows it; undefined if it is gone or not for the viewer to see. Whoever
 * asks for it sees it even if they muted its author or its words.
 */
export async function findListed(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<Listed | undefined> {
  const [tweet] = await recallTweets(ctx, [{ id }]);
  return tweet === undefined ? undefined : await listOne(ctx, viewer, tweet, "everything");
}

/** The same of many, each named by its id and its stamp; those that are gone or hidden are left out. */
export async function findAllListed(
  ctx: Ctx,
  viewer: Viewer | undefined,
  named: { id: TweetId; stamp: Stamp }[],
): Promise<Listed[]> {
  const found = await listTweets(ctx, named);
  const items = found.filter((item) => item !== undefined);
  const isSeen = await sightOf(ctx, viewer, items, "everything");
  return items.filter(
    (item) => isSeen(item) && (item.retweet ?? item.tweet).createdAt === item.stamp,
  );
}

async function listOne(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweet: Tweet,
  evenMuted?: "everything",
): Promise<Listed | undefined> {
  const entry = { id: tweet.id, stamp: tweet.createdAt };
  const [item] = await listTweets(ctx, [entry]);
  if (item === undefined) return undefined;
  const isSeen = await sightOf(ctx, viewer, [item], evenMuted);
  return isSeen(item) ? item : undefined;
}

/** What a tweet answers, and what that answers, the first of them first. */
export interface Ancestors {
  /** Undefined where a tweet is gone or not for the viewer to see. */
  items: (Listed | undefined)[];
  /** A tweet further up, where there are too many to show. */
  earlier: TweetId | undefined;
}

export async function ancestorsOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweet: Tweet,
): Promise<Ancestors> {
  const items: (Listed | undefined)[] = [];
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
export async function repliesTo(ctx: Ctx, id: TweetId, view: View): Promise<Page<Listed>> {
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
