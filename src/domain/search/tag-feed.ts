import type { Ctx } from "../../context.ts";
import { readFeed } from "../feeds/read-feed.ts";
import type { FeedItem, FeedView } from "../feeds/types.ts";
import { type Page, readEntries } from "../page.ts";
import { firstEntries } from "../timelines/merge.ts";
import { hashtagsIn } from "../tweets/text.ts";
import { findTweets, parseQuery } from "./find-tweets.ts";
import { termKey } from "./index-tweet.ts";
import { tagTerm } from "./terms.ts";

/** Further hashtags (folded). */
interface TagFilter {
  /** Each of these stands for the tag as well. */
  any: readonly string[];
  /** A tweet needs all of these, too. */
  all: readonly string[];
  /** A tweet must have none of these. */
  none: readonly string[];
}

const noFilter: TagFilter = { any: [], all: [], none: [] };

/** The newest tweets with a hashtag (folded). Reads one list for each tag in `any`, at the same time. */
export async function tagFeed(
  ctx: Ctx,
  tag: string,
  view: FeedView,
  { any, all, none }: TagFilter = noFilter,
): Promise<Page<FeedItem>> {
  if (any.length + none.length === 0)
    return await findTweets(ctx, { ...parseQuery(""), tags: [tag, ...all] }, view);
  const wanted = [tag, ...any];
  const keys = wanted.map((one) => termKey(tagTerm(one)));
  // The lists may be outdated: the text decides.
  const isWanted = ({ tweet }: FeedItem) => {
    const tags = new Set(hashtagsIn(tweet.text));
    return (
      wanted.some((one) => tags.has(one)) &&
      all.every((one) => tags.has(one)) &&
      !none.some((one) => tags.has(one))
    );
  };
  return await readFeed(ctx, view, {
    async read(range) {
      const lists = await Promise.all(keys.map((key) => readEntries(ctx.redis, key, range)));
      return firstEntries(lists.flat(), range);
    },
    allowed: async () => isWanted,
  });
}
