import type { Ctx } from "../../context.ts";
import { followedAmong } from "../follows/store.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { cut, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { isDueForCheck } from "../timelines/checks.ts";
import { homeEntries } from "../timelines/home.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import {
  displaceTweets,
  globalEntries,
  removeFromGlobal,
  userEntries,
} from "../timelines/store.ts";
import { learnDeletions } from "./deletions.ts";
import { recallTweets, type Tweet } from "./store.ts";

/** Where ids come from, and what is done about those that should not be there. */
interface Source {
  /** At least `limit` entries unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Which of these tweets may be shown, deleted or not. */
  allowed(tweets: Tweet[]): Promise<(tweet: Tweet) => boolean>;
  /** Takes out ids that were not shown; a repair, so nothing depends on it. */
  heal(ids: TweetId[]): Promise<void>;
}

interface Shown {
  tweet: Tweet;
  stamp: Stamp;
}

const everything = () => true;

/** One page may skip this many times a page of tweets that are not to be shown; then it ends short. */
const maxRounds = 20;

/** The newest tweets of those whom `user` follows, and their own. */
export async function homeFeed(ctx: Ctx, user: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return await readFeed(ctx, before, {
    read: (range) => homeEntries(ctx, user, range),
    allowed: async (tweets) => {
      if (before === undefined && !isDueForCheck(ctx, user)) return everything;
      const authors = tweets.map((tweet) => tweet.author);
      const followed = await followedAmong(ctx, user, authors);
      return ({ author }) => author === user || followed.has(author);
    },
    heal: (ids) => removeFromHome(ctx, user, ids),
  });
}

export async function userFeed(ctx: Ctx, author: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return await readFeed(ctx, before, {
    read: (range) => userEntries(ctx, author, range),
    allowed: async () => everything,
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
    allowed: async () => everything,
    heal: (ids) => removeFromGlobal(ctx, ids),
  });
}

/** Filters before it cuts, so that a page is full unless the timeline ends. */
async function readFeed(ctx: Ctx, before: Stamp | undefined, source: Source) {
  const shown: Shown[] = [];
  let cursor = before;
  for (let round = 0; round < maxRounds; round += 1) {
    const range = { before: cursor, limit: pageSize + 1 };
    const [entries, isOutdated] = await Promise.all([source.read(range), learnDeletions(ctx)]);
    shown.push(...(await showEntries(ctx, entries, isOutdated, source)));
    if (entries.length <= pageSize) return toPage(shown, undefined);
    cursor = entries.at(-1)?.stamp;
    if (shown.length > pageSize) break;
  }
  return toPage(shown, cursor);
}

async function showEntries(
  ctx: Ctx,
  entries: Entry[],
  isOutdated: (tweet: TweetId) => boolean,
  source: Source,
): Promise<Shown[]> {
  const tweets = await recallTweets(ctx, entries, isOutdated);
  const isAllowed = await source.allowed(tweets.filter((tweet) => tweet !== undefined));
  const shown: Shown[] = [];
  const hidden: TweetId[] = [];
  for (const [index, { id, stamp }] of entries.entries()) {
    const tweet = tweets[index];
    if (tweet === undefined || !isAllowed(tweet)) hidden.push(tweetId(id));
    else shown.push({ tweet, stamp });
  }
  if (hidden.length > 0) await source.heal(hidden);
  return shown;
}

function toPage(shown: Shown[], cursor: Stamp | undefined): Page<Tweet> {
  const { items, older } = cut(shown, pageSize, (item) => item.stamp);
  return { items: items.map((item) => item.tweet), older: older ?? cursor };
}
