import type { Ctx } from "../../context.ts";
import { filterMatcher, isHiddenBy, warningsOf } from "../graph/filters.ts";
import type { Viewer } from "../graph/relations.ts";
import type { TweetId, UserId } from "../ids.ts";
import { isMessage } from "../tweets/audience.ts";
import type { Entry } from "../page.ts";
import { readTombstones, recallTweets, recallTweetsById } from "../tweets/store.ts";
import type { Tweet, TweetRef } from "../tweets/tweet.ts";
import { sightOf } from "./sight.ts";
import type { FeedItem, VisibilityOptions } from "./types.ts";

/** The feed items of these entries that the viewer may and wants to see, in the same order. */
export async function readVisibleItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  entries: Entry[],
  sight?: VisibilityOptions,
): Promise<FeedItem[]> {
  const { items } = await hydrate(ctx, entries);
  return await visibleItems(ctx, viewer, items, sight);
}

/** The feed items of entries in their order, the same for every viewer; `gone`: those with a deleted tweet or original. */
export async function hydrate(ctx: Ctx, entries: Entry[]) {
  const tweets = await recallTweets(ctx, entries);
  const originals = await recallReferred(ctx, tweets, (tweet) => tweet.retweetOf);
  const items: FeedItem[] = [];
  const gone: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const tweet = tweets[index];
    const original = tweet?.retweetOf === undefined ? tweet : originals.get(tweet.retweetOf.tweet);
    const retweet = original === tweet ? undefined : tweet;
    if (original === undefined) gone.push(entry);
    else items.push({ tweet: original, retweet, quote: undefined, stamp: entry.stamp });
  }
  const shown = items.map((item) => item.tweet);
  const quotes = await recallReferred(ctx, shown, (tweet) => tweet.quoteOf);
  for (const item of items)
    if (item.tweet.quoteOf !== undefined) item.quote = quotes.get(item.tweet.quoteOf.tweet);
  return { items, gone };
}

/** The item of each entry; undefined where there is none to be shown. */
export function itemOfEach(entries: Entry[], items: FeedItem[]): (FeedItem | undefined)[] {
  const byId = new Map<string, FeedItem>();
  for (const item of items) byId.set((item.retweet ?? item.tweet).id, item);
  return entries.map(({ id }) => byId.get(id));
}

/** Other tweets that these tweets refer to, in one round trip or none. */
async function recallReferred(
  ctx: Ctx,
  tweets: (Tweet | undefined)[],
  refOf: (tweet: Tweet) => TweetRef | undefined,
): Promise<Map<TweetId, Tweet>> {
  const ids = tweets.flatMap((tweet) => (tweet && refOf(tweet)?.tweet) ?? []);
  return await recallTweetsById(ctx, ids);
}

/** The existing tweet that each of these answers; "closed" if its audience hides it from the viewer, or did until it was deleted. */
export async function answeredBy(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: Tweet[],
): Promise<(tweet: Tweet) => Tweet | "closed" | undefined> {
  const answered = await recallReferred(ctx, tweets, ({ replyTo }) => replyTo);
  const gone = tweets.flatMap(({ replyTo }) =>
    replyTo === undefined || answered.has(replyTo.tweet) ? [] : replyTo,
  );
  const ids = gone.map(({ tweet }) => tweet);
  const tombstones = await readTombstones(ctx, ids);
  const knownTweets = new Map(answered);
  for (const one of tombstones) if (one !== undefined) knownTweets.set(one.id, one);
  const { isAnswerClosed } = await sightOf(ctx, viewer, [...knownTweets.values(), ...gone]);
  return (tweet) => {
    if (tweet.replyTo === undefined) return undefined;
    const { tweet: id } = tweet.replyTo;
    return isAnswerClosed(tweet, knownTweets.get(id)) ? "closed" : answered.get(id);
  };
}

/**
 * The items that the viewer (undefined: signed out) may and wants to see. Leaves out tweets and retweets that are
 * hidden from the viewer (see sight.ts), by muted users, and tweets that a filter hides; messages, where a timeline is
 * read. Removes such quotes from the items. Notes the filters that only warn, of a quote as well.
 */
export async function visibleItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  items: FeedItem[],
  { includeMuted, context = "public" }: VisibilityOptions = {},
): Promise<FeedItem[]> {
  if (items.length === 0) return items;
  const tweets = items.flatMap(tweetsIn);
  const answered = items.flatMap(({ tweet }) => tweet.replyTo?.author ?? []);
  const [{ isSeen, relationTo }, matchesOf] = await Promise.all([
    sightOf(ctx, viewer, tweets, answered),
    filterMatcher(ctx, viewer),
  ]);
  const showsMuted = includeMuted === "everything";
  const isTimeline = context === "home" || context === "account";
  const isMuted = (author: UserId) =>
    author !== viewer?.id && !showsMuted && author !== includeMuted && relationTo(author).muted;
  const isHidden = (tweet: Tweet) =>
    !isSeen(tweet) || isMuted(tweet.author) || (isTimeline && isMessage(tweet));
  const isVisible = (tweet: Tweet) =>
    !isHidden(tweet) && (showsMuted || !isHiddenBy(matchesOf(tweet), context));
  const withWarnings = (item: FeedItem): FeedItem => {
    const matches = [item.tweet, item.quote].flatMap((tweet) => (tweet ? matchesOf(tweet) : []));
    const warnings = new Set(warningsOf(matches, context));
    return warnings.size === 0 ? item : { ...item, warnings: [...warnings] };
  };
  return items
    .filter(({ tweet, retweet }) => isVisible(tweet) && !(retweet && isHidden(retweet)))
    .map((item) =>
      item.quote === undefined || isVisible(item.quote) ? item : { ...item, quote: undefined },
    )
    .map(withWarnings);
}

/** All tweets of an item: reading their authors at once caches them for the page. */
function tweetsIn({ tweet, retweet, quote }: FeedItem): Tweet[] {
  return [tweet, retweet, quote].filter((one) => one !== undefined);
}

export function hasPictures({ tweet }: FeedItem): boolean {
  return (tweet.pictures ?? []).length > 0;
}
