import type { Ctx } from "../../context.ts";
import { globalLength, globalPart } from "../timelines/store.ts";
import { hydrate } from "./hydrate.ts";
import { visibleItems } from "./tweet-visibility.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Tweets per page; a sitemap may have 50,000 entries. */
const part = 1000;

/** Number of pages. */
export async function countCatalogue(ctx: Ctx): Promise<number> {
  return Math.ceil((await globalLength(ctx)) / part);
}

/**
 * One page of the newest tweets of all users, as signed-out viewers see them; the first page is 1. Retweets
 * are left out, as they only point at other tweets.
 */
export async function readCatalogue(ctx: Ctx, page: number): Promise<Tweet[]> {
  const start = (page - 1) * part;
  const { items } = await hydrate(ctx, await globalPart(ctx, start, start + part - 1));
  const written = items.filter(({ retweet }) => retweet === undefined);
  return (await visibleItems(ctx, undefined, written)).map(({ tweet }) => tweet);
}
