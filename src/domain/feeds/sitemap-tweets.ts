import type { Ctx } from "../../context.ts";
import { globalLength, globalPart } from "../timelines/store.ts";
import { hydrate } from "./hydrate.ts";
import { visibleItems } from "./tweet-visibility.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Tweets on one page of the catalogue; 50,000 is what a sitemap may have. */
const part = 1000;

/** How many pages the newest tweets of everybody fill. */
export async function countCatalogue(ctx: Ctx): Promise<number> {
  return Math.ceil((await globalLength(ctx)) / part);
}

/**
 * One page of the newest tweets of everybody, from 1 on, as they are for somebody who is signed out;
 * retweets, which only point at others, are left out.
 */
export async function readCatalogue(ctx: Ctx, page: number): Promise<Tweet[]> {
  const start = (page - 1) * part;
  const { items } = await hydrate(ctx, await globalPart(ctx, start, start + part - 1));
  const written = items.filter(({ retweet }) => retweet === undefined);
  return (await visibleItems(ctx, undefined, written)).map(({ tweet }) => tweet);
}
