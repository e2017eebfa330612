import type { Ctx } from "../../context.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { cut, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import type { Viewer } from "../users/relations.ts";
import { learnDeletions } from "./deletions.ts";
import { withoutRepeats } from "./repeats.ts";
import { sightOf } from "./sight.ts";
import { recallTweets } from "./store.ts";
import type { Tweet, TweetRef } from "./tweet.ts";

/** An item of a list of tweets. */
export interface Listed {
  /** What is shown. */
  tweet: Tweet;
  /** The retweet that brought it here. */
  retweet: Tweet | undefined;
  /** The tweet that it quotes, if that is still there and the viewer may see it. */
  quote: Tweet | undefined;
  /** When it was listed: of the retweet, if there is one. */
  stamp: Stamp;
}

/** Where ids come from, and what is done about those that should not be there. */
export interface Source {
  /** At least `limit` entries unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Which of these belong here; all of them unless it is said. */
  allowed?(items: Listed[]): Promise<(item: Listed) => boolean>;
  /** Takes out ids that are gone for good or do not belong; a repair, so nothing depends on it. */
  heal?(ids: TweetId[]): Promise<void>;
  /** Leaves out a retweet that stands close to its original. */
  dropsRepeats?: boolean;
}

/** Which part of a list; bounds are exclusive. */
export interface Part {
  before?: Stamp | undefined;
  /** How many items; a page of the site unless it is said. */
  limit?: number | undefined;
}

export interface View extends Part {
  viewer: Viewer | undefined;
  /** Whose tweets are shown even if the viewer muted them: on their own page. */
  evenMuted?: UserId;
}

/** One page may skip this many times a page of tweets that are not to be shown; then it ends short. */
const maxRounds = 20;

/** Filters before it cuts, so that a page is full unless the list ends. */
export async function readFeed(ctx: Ctx, view: View, source: Source): Promise<Page<Listed>> {
  const { limit = pageSize } = view;
  const items: Listed[] = [];
  let cursor = view.before;
  for (let round = 0; round < maxRounds; round += 1) {
    const range = { before: cursor, limit: limit + 1 };
    const [entries, isOutdated] = await Promise.all([source.read(range), learnDeletions(ctx)]);
    const found = await listTweets(ctx, entries, isOutdated);
    items.push(...(await showItems(ctx, view, { entries, found }, source)));
    const isEnd = entries.length <= limit;
    cursor = isEnd ? undefined : entries.at(-1)?.stamp;
    const kept = source.dropsRepeats === true ? withoutRepeats(items, isEnd) : items;
    if (isEnd || isFull(kept, limit)) return toPage(kept, limit, cursor);
  }
  return toPage(source.dropsRepeats === true ? withoutRepeats(items, true) : items, limit, cursor);
}

/** With something older after the page, where the next one begins: what was kept may end before `cursor`. */
function isFull(items: Listed[], limit: number): boolean {
  const [edge, last] = [items[limit - 1], items.at(-1)];
  return edge !== undefined && last !== undefined && last.stamp < edge.stamp;
}

function toPage(items: Listed[], limit: number, cursor: Stamp | undefined): Page<Listed> {
  const page = cut(items, limit, (item) => item.stamp);
  return { items: page.items, older: page.older ?? cursor };
}

/** The items for some entries; undefined where the tweet, or what it retweets, is gone. */
export async function listTweets(
  ctx: Ctx,
  entries: Entry[],
  isOutdated: (tweet: TweetId) => boolean,
): Promise<(Listed | undefined)[]> {
  const tweets = await recallTweets(ctx, entries, isOutdated);
  const originals = await recallNamed(ctx, tweets, (tweet) => tweet.retweetOf, isOutdated);
  const listed = tweets.map((tweet, index): Listed | undefined => {
    const original = tweet?.retweetOf === undefined ? tweet : originals.get(tweet.retweetOf.tweet);
    if (tweet === undefined || original === undefined) return undefined;
    const retweet = original === tweet ? undefined : tweet;
    return { tweet: original, retweet, quote: undefined, stamp: entries[index]?.stamp ?? 0 };
  });
  const shown = listed.map((item) => item?.tweet);
  const quotes = await recallNamed(ctx, shown, (tweet) => tweet.quoteOf, isOutdated);
  for (const item of listed)
    if (item?.tweet.quoteOf !== undefined) item.quote = quotes.get(item.tweet.quoteOf.tweet);
  return listed;
}

/** Other tweets that some tweets name, in one round trip or none. */
async function recallNamed(
  ctx: Ctx,
  tweets: (Tweet | undefined)[],
  named: (tweet: Tweet) => TweetRef | undefined,
  isOutdated: (tweet: TweetId) => boolean,
): Promise<Map<TweetId, Tweet>> {
  const ids = new Set<TweetId>();
  for (const tweet of tweets) {
    const ref = tweet === undefined ? undefined : named(tweet);
    if (ref !== undefined) ids.add(ref.tweet);
  }
  const found = new Map<TweetId, Tweet>();
  if (ids.size === 0) return found;
  const wanted = [...ids].map((id) => ({ id }));
  for (const tweet of await recallTweets(ctx, wanted, isOutdated))
    if (tweet !== undefined) found.set(tweet.id, tweet);
  return found;
}

/** What some tweets answer, as far as it is there; in one round trip or none. */
export async function answeredBy(ctx: Ctx, tweets: Tweet[]): Promise<Map<TweetId, Tweet>> {
  const replies = tweets.filter(({ replyTo }) => replyTo !== undefined);
  if (replies.length === 0) return new Map();
  return await recallNamed(ctx, replies, ({ replyTo }) => replyTo, await learnDeletions(ctx));
}

/** Those of the entries that are to be shown; the others are taken out, but for what is only hidden. */
async function showItems(
  ctx: Ctx,
  { viewer, evenMuted }: View,
  { entries, found }: { entries: Entry[]; found: (Listed | undefined)[] },
  source: Source,
): Promise<Listed[]> {
  const items = found.filter((item) => item !== undefined);
  const [belongs, isSeen] = await Promise.all([
    source.allowed?.(items) ?? (() => true),
    sightOf(ctx, viewer, items, evenMuted),
  ]);

  const gone = entries.filter((_, index) => {
    const item = found[index];
    return item === undefined || !belongs(item);
  });
  if (gone.length > 0) await source.heal?.(gone.map(({ id }) => tweetId(id)));
  return items.filter((item) => belongs(item) && isSeen(item));
}
