import type { Ctx } from "../../context.ts";
import { readFeed } from "../feeds/read-feed.ts";
import type { FeedItem, FeedView } from "../feeds/types.ts";
import { followedAmong } from "../graph/follows.ts";
import type { Viewer } from "../graph/relations.ts";
import type { UserId } from "../ids.ts";
import { type Page, readEntries } from "../page.ts";
import { foldTag, hashtagsIn } from "../tweets/text.ts";
import { type Tweet, wordsOf } from "../tweets/tweet.ts";
import { findUserByName, foldName, isName } from "../users/store.ts";
import { Candidates } from "./candidates.ts";
import { holdsUnits, tagTerm, termsFor, type Units, unitsIn } from "./terms.ts";
import { firstEntries } from "../timelines/merge.ts";
import { termKey } from "./index-tweet.ts";

/** A parsed query; a tweet must match all of it. */
export interface Query extends Units {
  /** Folded. */
  tags: string[];
  /** Folded names of authors. More than one, or an impossible name, matches no tweet. */
  from: string[];
}

/** Max characters of a query; enough for a whole tweet. */
const queryLimit = 2000;
/** Max phrases; the text of further ones is searched for without its quotation marks. */
const phraseLimit = 8;
const quoted = /["“”„＂]([^"“”„＂]*)["“”„＂]/g;

/** Parses untrusted text: words, parts of runs, `"exact phrases"`, `#tag` and `from:name`, separated by spaces. */
export function parseQuery(typed: string): Query {
  const query: Query = { words: [], runs: [], phrases: [], tags: [], from: [] };
  const rest = typed
    .slice(0, queryLimit)
    .toWellFormed()
    .replaceAll(quoted, (all, text: string) => {
      const phrase = unitsIn(text);
      if (phrase.length === 0 || query.phrases.length === phraseLimit) return all;
      query.phrases.push(phrase);
      return " ";
    });
  const texts: string[] = [];
  for (const piece of rest.split(/\s+/)) {
    const tag = /^[#＃]/.test(piece) ? foldTag(piece) : undefined;
    const from = /^from[:：]@?(.+)$/i.exec(piece)?.[1];
    if (tag !== undefined) query.tags.push(tag);
    else if (from !== undefined) query.from.push(foldName(from));
    else texts.push(piece);
  }
  for (const { text, isRun } of unitsIn(texts.join(" ")))
    query[isRun ? "runs" : "words"].push(text);
  for (const kind of ["words", "runs", "tags", "from"] as const)
    query[kind] = [...new Set(query[kind])];
  return query;
}

/** Whether a query asks for nothing that can be found. */
export function isEmptyQuery({ words, runs, phrases, tags, from }: Query): boolean {
  return [words, runs, phrases, tags, from].every(({ length }) => length === 0);
}

/** The one author of the query, if the name is possible. */
export function authorIn({ from }: Query): string | undefined {
  const [name = ""] = from;
  return from.length === 1 && isName(name) ? name : undefined;
}

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
  if (isEmptyQuery(query) || (whose !== undefined && viewer === undefined)) return nothing;
  const authors = await authorsOf(ctx, query);
  if (authors === undefined) return nothing;
  if (whose === "mine" && viewer !== undefined) authors.add(viewer.id);
  if (authors.size > 1) return nothing;
  const terms = [...query.tags.map(tagTerm), ...termsFor(query)];
  const [author] = authors;
  const isOrdered = query.phrases.some(({ length }) => length > 1);
  const holds = isOrdered ? (words: string) => holdsUnits(words, query) : undefined;
  const candidates = new Candidates(ctx, { terms, author, holds });
  return await readFeed(
    ctx,
    { ...view, includeMuted: author },
    {
      read: (range) => candidates.read(range),
      isSpent: () => candidates.isSpent(),
      matches: (item) => isFound(item, query, author) && isListedFor(viewer, item.tweet),
      wanted: async (items) => {
        if (whose !== "following" || viewer === undefined) return () => true;
        const writers = items.map(({ tweet }) => tweet.author);
        const followed = await followedAmong(ctx, viewer.id, writers);
        return ({ tweet }) => followed.has(tweet.author);
      },
    },
  );
}

/** Whether a search may find a tweet: an unlisted one only for its author. */
function isListedFor(viewer: Viewer | undefined, tweet: Tweet): boolean {
  return tweet.author === viewer?.id || tweet.audience !== "unlisted";
}

/** Undefined if the query names an unknown user, or two authors. */
async function authorsOf(ctx: Ctx, query: Query): Promise<Set<UserId> | undefined> {
  if (query.from.length === 0) return new Set();
  const name = authorIn(query);
  const user = name === undefined ? undefined : await findUserByName(ctx, name);
  return user === undefined ? undefined : new Set([user.id]);
}

/** The index may be outdated or, for runs, match too much; the text decides. */
function isFound({ tweet, retweet }: FeedItem, query: Query, author: UserId | undefined): boolean {
  if (retweet !== undefined || (author !== undefined && tweet.author !== author)) return false;
  const tags = query.tags.length === 0 ? [] : hashtagsIn(tweet.text);
  return query.tags.every((tag) => tags.includes(tag)) && holdsUnits(wordsOf(tweet), query);
}

/** Further hashtags (folded). */
interface TagFilter {
  /** Each of these stands for the tag as well. */
  any: readonly string[];
  /** A tweet needs all of these, too. */
  all: readonly string[];
  /** A tweet must have none of these. */
  none: readonly string[];
}

/** The newest tweets with a hashtag (folded). Reads one list for each tag in `any`, at the same time. */
export async function tagFeed(
  ctx: Ctx,
  tag: string,
  view: FeedView,
  { any, all, none }: TagFilter = { any: [], all: [], none: [] },
): Promise<Page<FeedItem>> {
  if (any.length + none.length === 0)
    return await findTweets(ctx, { ...parseQuery(""), tags: [tag, ...all] }, view);
  const wanted = [tag, ...any];
  const keys = wanted.map((one) => termKey(tagTerm(one)));
  // The lists may be outdated: the text decides.
  const isWanted = ({ tweet }: FeedItem) => {
    const tags = hashtagsIn(tweet.text);
    const has = (one: string) => tags.includes(one);
    return wanted.some(has) && all.every(has) && !none.some(has);
  };
  return await readFeed(ctx, view, {
    async read(range) {
      const lists = await Promise.all(keys.map((key) => readEntries(ctx.redis, key, range)));
      return firstEntries(lists.flat(), range);
    },
    allowed: async () => isWanted,
  });
}
