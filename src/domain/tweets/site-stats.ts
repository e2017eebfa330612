import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { readRarely } from "../per-client.ts";
import { stampAt } from "../stamp.ts";
import { globalEntries } from "../timelines/store.ts";
import { recallTweets } from "./store.ts";

/** Statistics of the site, as sites publish them. */
export interface SiteStats {
  /** Number of user ids given out; includes users who are gone. */
  people: number;
  /** Number of tweet ids given out; includes retweets and deleted tweets. */
  tweets: number;
  /** Authors of the newest thousand tweets, within the last 30 days. */
  activePeople: number;
}

const newestAsked = 1000;
const activeMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** Min time between two counts. */
const freshMilliseconds = 10 * 60_000;

export const siteStats = readRarely(freshMilliseconds, async (ctx, now): Promise<SiteStats> => {
  const [counted, activePeople] = await Promise.all([
    exec(ctx.redis, [
      ["get", keys.userIds],
      ["get", keys.tweetIds],
    ]),
    countActive(ctx, now),
  ]);
  const [people, tweets] = counted.map((count) => Number(count ?? 0));
  return { people: people ?? 0, tweets: tweets ?? 0, activePeople };
});

async function countActive(ctx: Ctx, now: number): Promise<number> {
  const after = stampAt(now - activeMilliseconds, "0");
  const entries = await globalEntries(ctx, { before: undefined, after, limit: newestAsked });
  const tweets = await recallTweets(ctx, entries);
  return new Set(tweets.flatMap((tweet) => tweet?.author ?? [])).size;
}
