import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type PeoplePage, readPeople } from "../graph/people-lists.ts";
import type { Viewer } from "../graph/relations.ts";
import { type TweetId, tweetId } from "../ids.ts";
import { type Entry, type Page, readPage, toEntries } from "../page.ts";
import { recount } from "../tweets/reactions.ts";
import { findTombstone } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { listSource, readFeed } from "./read-feed.ts";
import { readVisibleItems } from "./feed-items.ts";
import type { FeedItem, FeedView } from "./types.ts";

/** Max tweets shown above a tweet; each is a round trip. */
const ancestorsShown = 20;
/** Max replies of a conversation, and max depth; each step down is a round trip. */
const most = { replies: 500, steps: 50 };

/**
 * A single tweet as its own page shows it; undefined if it is gone or hidden from the viewer. The viewer's
 * mutes do not count, as they asked for this tweet.
 */
export async function findFeedItem(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<FeedItem | undefined> {
  return await findItem(ctx, viewer, id, "everything");
}

async function findItem(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
  includeMuted?: "everything",
): Promise<FeedItem | undefined> {
  const [item] = await readVisibleItems(ctx, viewer, [{ id, stamp: 0 }], {
    includeMuted,
    context: "thread",
  });
  return item && { ...item, stamp: (item.retweet ?? item.tweet).createdAt };
}

/** The same for many; without those that are gone or hidden. */
export async function findFeedItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  ids: TweetId[],
): Promise<FeedItem[]> {
  const entries = ids.map((id) => ({ id, stamp: 0 }));
  const items = await readVisibleItems(ctx, viewer, entries, {
    includeMuted: "everything",
    context: "thread",
  });
  return items.map((item) => ({ ...item, stamp: (item.retweet ?? item.tweet).createdAt }));
}

/** The answered tweet, the tweet that it answers, and so on; topmost first. */
interface Ancestors {
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
    const above = await findTombstone(ctx, next);
    items.unshift(above && (await findItem(ctx, viewer, next)));
    next = above?.replyTo?.tweet;
  }
  return { items, earlier: next };
}

/** The replies to a tweet, newest first. */
export async function repliesTo(ctx: Ctx, id: TweetId, view: FeedView): Promise<Page<FeedItem>> {
  const list = listSource(ctx, keys.tweetReplies(id));
  const heal = async (gone: TweetId[]) => {
    await list.heal?.(gone);
    await recount(ctx, id, "replies");
  };
  return await readFeed(ctx, { ...view, context: "thread" }, { ...list, heal });
}

/** The users who liked or retweeted a tweet, without those hidden from the viewer, newest first. */
export async function peopleWhoReacted(
  ctx: Ctx,
  did: "likes" | "retweets",
  id: TweetId,
  view: FeedView,
): Promise<PeoplePage> {
  const key = did === "likes" ? keys.tweetLikes(id) : keys.tweetRetweets(id);
  return await readPeople(ctx, view, (range) => readPage(ctx.redis, key, range));
}

/**
 * The replies to a tweet and the replies to these, each followed by its own, oldest first. Replies that are
 * hidden from the viewer are left out, but the answers to them are not. Below a deleted reply the conversation
 * ends, as its list ends.
 */
export async function descendantsOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<FeedItem[]> {
  return await readVisibleItems(ctx, viewer, inThread(id, await readReplies(ctx, id)), {
    context: "thread",
  });
}

type Replies = Map<TweetId, Entry[]>;

async function readReplies(ctx: Ctx, id: TweetId): Promise<Replies> {
  const replies: Replies = new Map();
  let level = [id];
  let read = 0;
  for (let step = 0; step < most.steps && level.length > 0; step += 1) {
    const last = most.replies - read - 1;
    if (last < 0) break;
    const answers = (await exec(
      ctx.redis,
      level.map((one) => ["zrange", keys.tweetReplies(one), 0, last, "WITHSCORES"]),
    )) as string[][];
    const next: TweetId[] = [];
    for (const [index, one] of level.entries()) {
      const entries = toEntries(answers[index] ?? []).slice(0, Math.max(0, most.replies - read));
      read += entries.length;
      replies.set(one, entries);
      next.push(...entries.map((entry) => tweetId(entry.id)));
    }
    level = next;
  }
  return replies;
}

function inThread(id: TweetId, replies: Replies): Entry[] {
  return (replies.get(id) ?? []).flatMap((entry) => [
    entry,
    ...inThread(tweetId(entry.id), replies),
  ]);
}
