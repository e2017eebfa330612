import type { Ctx } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import type { Entry } from "../page.ts";
import type { FeedItem } from "./types.ts";
import { recallTweets, recallTweetsById } from "../tweets/store.ts";
import type { Tweet, TweetRef } from "../tweets/tweet.ts";

interface Hydrated {
  /** In the order of the entries. */
  items: FeedItem[];
  /** Entries whose tweet, or whose original, is deleted. */
  gone: Entry[];
}

/** The feed items of entries, the same for every viewer. */
export async function hydrate(ctx: Ctx, entries: Entry[]): Promise<Hydrated> {
  const tweets = await recallTweets(ctx, entries);
  const originals = await recallReferred(ctx, tweets, (tweet) => tweet.retweetOf);
  const items: FeedItem[] = [];
  const gone: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const tweet = tweets[index];
    const original = tweet?.retweetOf === undefined ? tweet : originals.get(tweet.retweetOf.tweet);
    if (tweet === undefined || original === undefined) gone.push(entry);
    else {
      const retweet = original === tweet ? undefined : tweet;
      items.push({ tweet: original, retweet, quote: undefined, stamp: entry.stamp });
    }
  }
  const shown = items.map((item) => item.tweet);
  const quotes = await recallReferred(ctx, shown, (tweet) => tweet.quoteOf);
  for (const item of items)
    if (item.tweet.quoteOf !== undefined) item.quote = quotes.get(item.tweet.quoteOf.tweet);
  return { items, gone };
}

/** Other tweets that these tweets refer to, in one round trip or none. */
async function recallReferred(
  ctx: Ctx,
  tweets: (Tweet | undefined)[],
  refOf: (tweet: Tweet) => TweetRef | undefined,
): Promise<Map<TweetId, Tweet>> {
  const refs = tweets.map((tweet) => tweet && refOf(tweet));
  return await recallTweetsById(
    ctx,
    refs.flatMap((ref) => ref?.tweet ?? []),
  );
}

/** The existing tweets that these tweets answer, in one round trip or none. */
export async function answeredTweets(ctx: Ctx, tweets: Tweet[]): Promise<Map<TweetId, Tweet>> {
  return await recallReferred(ctx, tweets, ({ replyTo }) => replyTo);
}
