import type { Ctx } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import type { Notification } from "./store.ts";
import { hiddenFrom } from "../graph/visibility.ts";
import { mutedWordsOf } from "../graph/muted-words.ts";
import { relationsTo } from "../graph/relations.ts";
import type { User } from "../users/store.ts";
import { hydrate } from "../feeds/hydrate.ts";
import type { FeedItem } from "../feeds/types.ts";
import { visibleItems } from "../feeds/tweet-visibility.ts";
import { recallTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** A notification or group; `tweet` is what it is about, if anything. */
interface AboutTweet {
  tweet?: TweetId | undefined;
}

/** Tells which are still there and visible to the viewer, and not muted. */
export async function shownOf(
  ctx: Ctx,
  viewer: User,
  entries: Notification[],
): Promise<(entry: Notification) => boolean> {
  const actors = new Set(entries.map(({ actor }) => actor));
  const [isHidden, tweets, hasMutedWord] = await Promise.all([
    hiddenFrom(ctx, viewer, actors),
    findTweetsOf(ctx, entries),
    mutedWordsOf(ctx, viewer),
  ]);
  const relationTo = await relationsTo(ctx, viewer, actors);
  return ({ kind, actor, tweet: id }) => {
    const tweet = id && tweets.get(id);
    if (isHidden(actor) || relationTo(actor).muted) return false;
    if (id !== undefined && tweet === undefined) return false;
    const isWritten = kind === "mention" || kind === "reply";
    return !isWritten || tweet === undefined || !hasMutedWord(tweet.text);
  };
}

/** The existing tweets of these notifications. */
export async function findTweetsOf(ctx: Ctx, named: AboutTweet[]): Promise<Map<TweetId, Tweet>> {
  const ids = new Set(named.flatMap(({ tweet }) => (tweet === undefined ? [] : [tweet])));
  if (ids.size === 0) return new Map();
  const wanted = [...ids].map((id) => ({ id }));
  const found = await recallTweets(ctx, wanted);
  return new Map(found.flatMap((tweet) => (tweet === undefined ? [] : [[tweet.id, tweet]])));
}

/** Those tweets as feed items: with their quotes, if the viewer may see them. */
export async function findItemsOf(
  ctx: Ctx,
  viewer: User,
  named: AboutTweet[],
): Promise<Map<TweetId, FeedItem>> {
  const tweets = await findTweetsOf(ctx, named);
  const entries = [...tweets.values()].map(({ id, createdAt }) => ({ id, stamp: createdAt }));
  const { items } = await hydrate(ctx, entries);
  const visible = await visibleItems(ctx, viewer, items);
  return new Map(visible.map((item) => [item.tweet.id, item]));
}
