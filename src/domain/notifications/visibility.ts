import type { Ctx } from "../../context.ts";
import { readVisibleItems } from "../feeds/feed-items.ts";
import type { FeedItem } from "../feeds/types.ts";
import { filterMatcher, isHiddenBy } from "../graph/filters.ts";
import { sightOf } from "../feeds/sight.ts";
import { hiddenFrom } from "../graph/relations.ts";
import type { TweetId } from "../ids.ts";
import { isMessage } from "../tweets/audience.ts";
import { recallTweetsById } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import type { User } from "../users/store.ts";
import { isWritten, type Notification } from "./store.ts";

/** A notification or group; `tweet` is what it is about, if anything. */
type AboutTweet = Pick<Notification, "tweet">;

/**
 * Tells which are still there and visible to the viewer, and not muted: a retweet by a protected account only if the
 * viewer follows it. `messages`: whether those of messages are.
 */
export async function shownTo(
  ctx: Ctx,
  viewer: User,
  entries: Notification[],
  { messages = true }: { messages?: boolean | undefined } = {},
): Promise<(entry: Notification) => boolean> {
  const actors = new Set(entries.map(({ actor }) => actor));
  const [isHidden, tweets, matchesOf] = await Promise.all([
    hiddenFrom(ctx, viewer, actors),
    findTweetsOf(ctx, entries),
    filterMatcher(ctx, viewer),
  ]);
  const retweets = entries.filter(({ kind }) => kind === "retweet");
  const judged = [...tweets.values(), ...retweets.map(({ actor }) => ({ author: actor }))];
  const { isSeen, relationTo } = await sightOf(ctx, viewer, judged, actors);
  return ({ kind, actor, tweet: id }) => {
    const tweet = id && tweets.get(id);
    if (isHidden(actor) || relationTo(actor).muted) return false;
    if (id !== undefined && (tweet === undefined || !isSeen(tweet))) return false;
    if (kind === "retweet" && !isSeen({ author: actor })) return false;
    if (!messages && tweet !== undefined && isMessage(tweet)) return false;
    if (!isWritten(kind) || tweet === undefined) return true;
    return !isHiddenBy(matchesOf(tweet), "notifications");
  };
}

/** The existing tweets of these notifications. */
export async function findTweetsOf(ctx: Ctx, named: AboutTweet[]): Promise<Map<TweetId, Tweet>> {
  const ids = named.flatMap(({ tweet }) => tweet ?? []);
  return await recallTweetsById(ctx, ids);
}

/** The same notifications or groups with their tweets as feed items, if the viewer may see these. */
export async function withTweets<About extends AboutTweet>(
  ctx: Ctx,
  viewer: User,
  all: About[],
): Promise<(About & { item: FeedItem | undefined })[]> {
  const tweets = await findTweetsOf(ctx, all);
  const entries = [...tweets.values()].map(({ id, createdAt }) => ({ id, stamp: createdAt }));
  const visible = await readVisibleItems(ctx, viewer, entries, { context: "notifications" });
  const items = new Map(visible.map((item) => [item.tweet.id, item]));
  return all.map((one) => ({ ...one, item: one.tweet && items.get(one.tweet) }));
}
