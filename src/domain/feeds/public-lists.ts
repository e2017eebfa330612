import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import type { UserId } from "../ids.ts";
import { type Entry, toEntries } from "../page.ts";
import { readRarely } from "../per-client.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { readVisibleItems } from "./feed-items.ts";

/** A list without an owner: the newest tweets of all users, or those with a hashtag (folded). */
export interface PublicList {
  tag: string | undefined;
}

/** Max length; streams do not get older entries. */
const newest = 200;

const listReading: Reading<string | undefined, readonly Entry[]> = {
  key: (tag) => (tag === undefined ? keys.globalTimeline : keys.tag(tag)),
  command: ["zrange", 0, newest - 1, "REV", "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]).toReversed(),
};

/** The newest entries of the list, oldest first. */
export async function newestEntries(ctx: Ctx, { tag }: PublicList): Promise<readonly Entry[]> {
  const [entries = []] = await ctx.memory.read(ctx.redis, listReading, [tag]);
  return entries;
}

/** Tweets per page; a sitemap may have 50,000 entries. */
const tweetsPerPage = 1000;

/** Number of pages. */
export async function countSitemapPages(ctx: Ctx): Promise<number> {
  return Math.ceil((await ctx.redis.zcard(keys.globalTimeline)) / tweetsPerPage);
}

/**
 * One page of the newest tweets of all users, as signed-out viewers see them; the first page is 1. Retweets
 * are left out, as they only point at other tweets.
 */
export async function readSitemapPage(ctx: Ctx, page: number): Promise<Tweet[]> {
  const start = (page - 1) * tweetsPerPage;
  const ranks = [start, String(start + tweetsPerPage - 1), "REV", "WITHSCORES"] as const;
  const entries = toEntries(await ctx.redis.zrange(keys.globalTimeline, ...ranks));
  const items = await readVisibleItems(ctx, undefined, entries);
  return items.filter(({ retweet }) => retweet === undefined).map(({ tweet }) => tweet);
}

const freshMilliseconds = 60_000;
const atMost = 40;

/** Authors of the newest public tweets, the most followed first. Counted once a minute. */
export const activePeople = readRarely(freshMilliseconds, async (ctx): Promise<UserId[]> => {
  const newestFirst = (await newestEntries(ctx, { tag: undefined })).toReversed();
  const items = await readVisibleItems(ctx, undefined, newestFirst);
  const authors = [...new Set(items.map(({ tweet }) => tweet.author))].slice(0, atMost);
  const followers = await countAll(ctx, authors);
  return authors.toSorted((one, other) => (followers.get(other) ?? 0) - (followers.get(one) ?? 0));
});

async function countAll(ctx: Ctx, users: UserId[]): Promise<Map<UserId, number>> {
  const counts = await exec(
    ctx.redis,
    users.map((id) => ["zcard", keys.followers(id)]),
  );
  return new Map(users.map((id, nth) => [id, Number(counts[nth])]));
}
