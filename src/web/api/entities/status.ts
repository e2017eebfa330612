import type { Ctx } from "../../../context.ts";
import type { TweetId, UserId } from "../../../domain/ids.ts";
import { type AccountStats, readAccountStats } from "../../../domain/timelines/account-stats.ts";
import {
  type Counts,
  readCounts,
  bookmarksAmong,
  type Reaction,
  reactionsTo,
} from "../../../domain/tweets/reactions.ts";
import { answeredTweets } from "../../../domain/feeds/feed-items.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import { serializeAccount } from "./account.ts";
import { type Fragment, serializeStatus } from "./status-text.ts";

/** All that statuses depend on but themselves. */
interface Facts {
  people: ReadonlyMap<UserId, User>;
  standings: ReadonlyMap<UserId, AccountStats>;
  counts: ReadonlyMap<TweetId, Counts>;
  parents: ReadonlyMap<TweetId, Tweet>;
  reactionTo(tweet: TweetId): Reaction;
  isBookmarked(tweet: TweetId): boolean;
}

interface Seen {
  ctx: Ctx;
  site: string;
  viewer: User | undefined;
  facts: Facts;
}

/**
 * The JSON of each item, in order, as Mastodon's Status; those whose author is gone are left out. All
 * that they depend on is asked for at once, and nothing is asked that this process remembers. `site`
 * is where the site is, without a path.
 */
export async function presentStatuses(
  ctx: Ctx,
  viewer: User | undefined,
  items: FeedItem[],
  site: string,
): Promise<string[]> {
  const statuses = await presentEach(ctx, viewer, items, site);
  return statuses.filter((status) => status !== undefined);
}

/** The same with undefined in the place of each whose author is gone. */
export async function presentEach(
  ctx: Ctx,
  viewer: User | undefined,
  items: FeedItem[],
  site: string,
): Promise<(string | undefined)[]> {
  const seen = { ctx, site, viewer, facts: await gatherFacts(ctx, viewer, items) };
  return items.map((item) => serializeItem(seen, item));
}

/** One of them; undefined if its author is gone. */
export async function presentStatus(
  ctx: Ctx,
  viewer: User | undefined,
  item: FeedItem,
  site: string,
): Promise<string | undefined> {
  const [status] = await presentStatuses(ctx, viewer, [item], site);
  return status;
}

async function gatherFacts(ctx: Ctx, viewer: User | undefined, items: FeedItem[]): Promise<Facts> {
  const tweets = items.flatMap(({ tweet, quote }) => (quote ? [tweet, quote] : [tweet]));
  const ids = tweets.map(({ id }) => id);
  const authors = tweets.map(({ author }) => author);
  for (const { retweet } of items) if (retweet !== undefined) authors.push(retweet.author);
  const [people, standings, counts, reactionTo, isBookmarked, parents] = await Promise.all([
    findUsers(ctx, authors),
    readAccountStats(ctx, authors),
    readCounts(ctx, ids),
    reactionsTo(ctx, viewer, ids),
    bookmarksAmong(ctx, viewer, ids),
    answeredTweets(ctx, tweets),
  ]);
  return { people, standings, counts, reactionTo, isBookmarked, parents };
}

/** A retweet is a status of its own, which has the original in it. */
function serializeItem(seen: Seen, { tweet, retweet, quote }: FeedItem): string | undefined {
  const quoted = quote && serializePart(seen, quote, quote);
  const quoting = quoted && `{"state":"accepted","quoted_status":${close(quoted, "null", "null")}}`;
  const original = serializePart(seen, tweet, tweet);
  if (original === undefined) return undefined;
  const status = close(original, quoting ?? "null", "null");
  if (retweet === undefined) return status;
  const wrapper = serializePart(seen, retweet, tweet);
  return wrapper && close(wrapper, "null", status);
}

function close(part: string, quote: string, reblog: string): string {
  return `${part},"quote":${quote},"reblog":${reblog}}`;
}

/** What one tweet, or the retweet of it, says by itself. Undefined if its author is gone. */
function serializePart(seen: Seen, listed: Tweet, tweet: Tweet): string | undefined {
  const { ctx, site, viewer, facts } = seen;
  const author = facts.people.get(listed.author);
  const standing = facts.standings.get(listed.author);
  if (author === undefined || standing === undefined) return undefined;
  const { liked, retweeted } = facts.reactionTo(tweet.id);
  const own = viewer?.id === listed.author && listed === tweet;
  const fragment: Fragment = serializeStatus(ctx, {
    site,
    listed,
    tweet,
    counts: facts.counts.get(tweet.id) ?? noCounts,
    parent: tweet.replyTo && facts.parents.get(tweet.replyTo.tweet),
    marks: {
      favourited: liked,
      reblogged: retweeted,
      bookmarked: facts.isBookmarked(tweet.id),
      pinned: own ? viewer.pinned === tweet.id : undefined,
    },
  });
  return `${fragment.head}${serializeAccount(site, author, standing)}${fragment.tail}`;
}

const noCounts: Counts = { replies: 0, retweets: 0, likes: 0 };
