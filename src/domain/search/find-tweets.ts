import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Page } from "../page.ts";
import { Candidates } from "./candidates.ts";
import { holdsUnits, tagTerm, termsOf } from "./terms.ts";
import { findUserByName } from "../users/store.ts";
import { hashtagsIn } from "../tweets/entities.ts";
import { authorIn, type Query, queryProblem } from "./query.ts";
import { readFeed } from "../feeds/read-feed.ts";
import type { FeedItem, View } from "../feeds/types.ts";

/** By whom: the viewer, or those whom they follow; nothing of it for somebody signed out. */
export type Whose = "mine" | "following" | undefined;

const nothing: Page<FeedItem> = { items: [], older: undefined };

/**
 * The newest tweets that have all that a query asks for; replies too, retweets not. A page is full
 * unless the end is near or very many tweets had to be looked at in vain: then `older` goes on.
 */
export async function findTweets(
  ctx: Ctx,
  query: Query,
  view: View,
  whose?: Whose,
): Promise<Page<FeedItem>> {
  const { viewer } = view;
  if (queryProblem(query) !== undefined) return nothing;
  if (whose !== undefined && viewer === undefined) return nothing;
  const authors = await authorsOf(ctx, query);
  if (authors === undefined) return nothing;
  if (whose === "mine" && viewer !== undefined) authors.add(viewer.id);
  if (authors.size > 1) return nothing;
  const terms = [...query.tags.map(tagTerm), ...termsOf(query)];
  const candidates = new Candidates(ctx, { terms, authors: [...authors] });
  const [author] = authors;
  const isWanted = (item: FeedItem) => isFound(item, query, author);
  return await readFeed(
    ctx,
    { ...view, evenMuted: author },
    {
      read: (range) => candidates.read(range),
      allowed: async (items) => {
        if (whose !== "following" || viewer === undefined) return isWanted;
        const writers = items.map(({ tweet }) => tweet.author);
        const followed = await followedAmong(ctx, viewer.id, writers);
        return (item) => followed.has(item.tweet.author) && isWanted(item);
      },
    },
  );
}

/** The newest tweets with a hashtag, which is folded. */
export async function tagFeed(ctx: Ctx, tag: string, view: View): Promise<Page<FeedItem>> {
  return await findTweets(ctx, { words: [], runs: [], tags: [tag], from: [] }, view);
}

/** Undefined if it asks for somebody whom there is not, or for two people at once. */
async function authorsOf(ctx: Ctx, query: Query): Promise<Set<UserId> | undefined> {
  if (query.from.length === 0) return new Set();
  const name = authorIn(query);
  const user = name === undefined ? undefined : await findUserByName(ctx, name);
  return user === undefined ? undefined : new Set([user.id]);
}

/** What lists said may be outdated or, for runs, too much; the text tells. */
function isFound({ tweet, retweet }: FeedItem, query: Query, author: UserId | undefined): boolean {
  if (retweet !== undefined || (author !== undefined && tweet.author !== author)) return false;
  const tags = query.tags.length === 0 ? [] : hashtagsIn(tweet.text);
  return query.tags.every((tag) => tags.includes(tag)) && holdsUnits(tweet.text, query);
}
