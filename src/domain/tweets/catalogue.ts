import type { Ctx } from "../../context.ts";
import { globalLength, globalPart } from "../timelines/store.ts";
import { listTweets } from "./list-tweets.ts";
import { sightOf } from "./sight.ts";
import type { Tweet } from "./tweet.ts";

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
  const listed = await listTweets(ctx, await globalPart(ctx, start, start + part - 1));
  const items = listed.flatMap((item) => (item && item.retweet === undefined ? [item] : []));
  const isSeen = await sightOf(ctx, undefined, items);
  return items.filter(isSeen).map(({ tweet }) => tweet);
}
