import type { Ctx } from "../../context.ts";
import { followedAmong } from "../follows/store.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { cut, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { homeEntries } from "../timelines/home.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import {
  displaceTweets,
  globalEntries,
  removeFromGlobal,
  userEntries,
} from "../timelines/store.ts";
import { findTweets, type Tweet } from "./store.ts";

/** Where ids come from, and what is done about those that should not be there. */
interface Source {
  /** At least `limit` entries unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Of tweets that exist, those to show. */
  visible(tweets: Tweet[]): Promise<Tweet[]>;
  /** Takes out ids that were not shown; a repair, so nothing depends on it. */
  heal(ids: TweetId[]): Promise<void>;
}

/** One page may skip this many times a page of tweets that are not to be shown; then it ends short. */
const maxRounds = 20;

/** The newest tweets of those whom `user` follows, and their own. */
export async function homeFeed(ctx: Ctx, user: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return await readFeed(ctx, before, {
    read: (range) => homeEntries(ctx, user, range),
    visible: async (tweets) => {
      const authors = await followedAmong(
        ctx,
        user,
        tweets.map((tweet) => tweet.author),
      );
      return tweets.filter((tweet) => tweet.author === user || authors.has(tweet.author));
    },
    heal: (ids) => removeFromHome(ctx, user, ids),
  });
}

export async function userFeed(ctx: Ctx, author: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return await readFeed(ctx, before, {
    read: (range) => userEntries(ctx, author, range),
    visible: async (tweets) => tweets,
    heal: (ids) =>
      displaceTweets(
        ctx,
        ids.map((tweet) => ({ tweet, author })),
      ),
  });
}

/** The newest tweets of everybody. */
export async function globalFeed(ctx: Ctx, before?: Stamp): Promise<Page<Tweet>> {
  return await readFeed(ctx, before, {
    read: (range) => globalEntries(ctx, range),
    visible: async (tweets) => tweets,
    heal: (ids) => removeFromGlobal(ctx, ids),
  });
}

/** Filters before it cuts, so that a page is full unless the timeline ends. */
async function readFeed(ctx: Ctx, before: Stamp | undefined, source: Source) {
  const shown: { tweet: Tweet; stamp: Stamp }[] = [];
  let cursor = before;
  for (let round = 0; round < maxRounds; round += 1) {
    const entries = await source.read({ before: cursor, limit: pageSize + 1 });
    shown.push(...(await showEntries(ctx, entries, source)));
    if (entries.length <= pageSize) return toPage(shown, undefined);
    cursor = entries.at(-1)?.stamp;
    if (shown.length > pageSize) return toPage(shown, undefined);
  }
  return toPage(shown, cursor);
}

async function showEntries(ctx: Ctx, entries: Entry[], source: Source) {
  const found = await findTweets(
    ctx,
    entries.map((entry) => tweetId(entry.id)),
  );
  const visible = await source.visible([...found.values()]);
  const stamps = new Map(entries.map((entry) => [entry.id, entry.stamp]));
  const kept = new Set(visible.map((tweet) => tweet.id));
  const hidden = entries.map((entry) => tweetId(entry.id)).filter((id) => !kept.has(id));
  if (hidden.length > 0) await source.heal(hidden);
  return visible.map((tweet) => ({ tweet, stamp: stamps.get(tweet.id) ?? tweet.createdAt }));
}

function toPage(shown: { tweet: Tweet; stamp: Stamp }[], cursor: Stamp | undefined): Page<Tweet> {
  const { items, older } = cut(shown, pageSize, (item) => item.stamp);
  return { items: items.map((item) => item.tweet), older: older ?? cursor };
}
