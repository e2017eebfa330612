import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, stampAt } from "../ids.ts";
import { readerOf } from "../members.ts";
import { type Entry, toEntries } from "../page.ts";
import { readRarely } from "../memo.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { readVisibleItems } from "./feed-items.ts";
import { globalEntries } from "../timelines/store.ts";
import { recallTweets } from "../tweets/store.ts";

/** A list without an owner: the newest tweets of all users, or those with a hashtag (folded). */
export interface PublicList {
  tag: string | undefined;
}

/** Max length; streams do not get older entries. */
const newest = 200;

/** The newest entries of the list, oldest first. */
export const newestEntries = readerOf<PublicList, readonly Entry[]>({
  key: ({ tag }) => (tag === undefined ? keys.globalTimeline : keys.tag(tag)),
  command: ["zrange", 0, newest - 1, "REV", "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]).toReversed(),
});

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

const peopleMilliseconds = 60_000;
const peopleAtMost = 40;

/** Authors of the newest public tweets, the most followed first. Counted once a minute. */
export const activePeople = readRarely(peopleMilliseconds, async (ctx): Promise<UserId[]> => {
  const newestFirst = (await newestEntries(ctx, { tag: undefined })).toReversed();
  const items = await readVisibleItems(ctx, undefined, newestFirst);
  const authors = [...new Set(items.map(({ tweet }) => tweet.author))].slice(0, peopleAtMost);
  const counts = await execEach(ctx.redis, authors, (id) => ["zcard", keys.followers(id)]);
  const followers = new Map(authors.map((id, nth) => [id, Number(counts[nth])]));
  return authors.toSorted((one, other) => (followers.get(other) ?? 0) - (followers.get(one) ?? 0));
});

const newestAsked = 1000;
const activeMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** Min time between two counts. */
const statsMilliseconds = 10 * 60_000;

export type SiteStats = Awaited<ReturnType<typeof siteStats>>;

/**
 * Statistics of the site, as sites publish them: ids of users and of tweets that were given out, what is gone included,
 * and the authors of the newest thousand tweets, within the last 30 days.
 */
export const siteStats = readRarely(statsMilliseconds, async (ctx, now) => {
  const [people, tweets, active] = await Promise.all([
    ctx.redis.get(keys.userIds),
    ctx.redis.get(keys.tweetIds),
    countActive(ctx, now),
  ]);
  return { people: Number(people), tweets: Number(tweets), activePeople: active };
});

async function countActive(ctx: Ctx, now: number): Promise<number> {
  const after = stampAt(now - activeMilliseconds, "0");
  const entries = await globalEntries(ctx, { before: undefined, after, limit: newestAsked });
  const tweets = await recallTweets(ctx, entries);
  return new Set(tweets.flatMap((tweet) => tweet?.author ?? [])).size;
}
