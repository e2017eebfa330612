import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Page } from "../page.ts";
import { Candidates } from "./candidates.ts";
import { holdsUnits, tagTerm, termsOf } from "./terms.ts";
import { findUserByName } from "../users/store.ts";
import { hashtagsIn } from "../tweets/text.ts";
import { authorIn, type Query, queryProblem } from "./query.ts";
import { readFeed } from "../feeds/read-feed.ts";
import type { FeedItem, FeedView } from "../feeds/types.ts";

/** Authors to search: the viewer, or the viewer's followings; finds nothing for a signed-out viewer. */
export type AuthorFilter = "mine" | "following" | undefined;

const nothing: Page<FeedItem> = { items: [], older: undefined };

/**
 * The newest tweets that match a query; includes replies, but no retweets. A page is full unless the end is
 * near, or very many candidates did not match: then `older` continues.
 */
export async function findTweets(
  ctx: Ctx,
  query: Query,
  view: FeedView,
  whose?: AuthorFilter,
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

/** The newest tweets with a hashtag (folded). */
export async function tagFeed(ctx: Ctx, tag: string, view: FeedView): Promise<Page<FeedItem>> {
  return await findTweets(ctx, { words: [], runs: [], tags: [tag], from: [] }, view);
}

/** Undefined if the query names an unknown user, or two authors. */
async function authorsOf(ctx: Ctx, query: Query): Promise<Set<UserId> | undefined> {
  if (query.from.length === 0) return new Set();
  const name = authorIn(query);
  const user = name === undefined ? undefined : await findUserByName(ctx, name);
  return user === undefined ? undefined : new Set([user.id]);
}

/** Lists may be outdated or, for runs, match too much; the text decides. */
function isFound({ tweet, retweet }: FeedItem, query: Query, author: UserId | undefined): boolean {
  if (retweet !== undefined || (author !== undefined && tweet.author !== author)) return false;
  const tags = query.tags.length === 0 ? [] : hashtagsIn(tweet.text);
  return query.tags.every((tag) => tags.includes(tag)) && holdsUnits(tweet.text, query);
}
