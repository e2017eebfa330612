import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId } from "../ids.ts";

const announcedMilliseconds = 2 * 60 * 60 * 1000;
/** Read at a time. */
const batch = 1000;

/**
 * Tells every process that has open streams to look again. Telling twice is harmless; whether the tweet
 * is gone is for its tombstone to say, as this process may end before it has written that.
 */
export async function announceDeletion(ctx: Ctx, tweet: TweetId): Promise<void> {
  const oldest = Date.now() - announcedMilliseconds;
  await ctx.redis.announceDeletion(keys.deletions, tweet, oldest);
}

/** Which deletions were announced, and where in the stream of them that is. */
export interface Announced {
  place: string;
  tweets: TweetId[];
}

/**
 * What was announced after `place`, a thousand at a time; without a place nothing yet. A tweet may be
 * there still, see announceDeletion.
 */
export async function deletionsAfter(ctx: Ctx, place: string | undefined): Promise<Announced> {
  if (place === undefined) return { place: await endOf(ctx), tweets: [] };
  const news = await ctx.redis.xrange(keys.deletions, `(${place}`, "+", "COUNT", batch);
  const tweets = news.map(([, [, id = ""]]) => tweetId(id));
  return { place: news.at(-1)?.[0] ?? place, tweets };
}

async function endOf(ctx: Ctx): Promise<string> {
  const [last] = await ctx.redis.xrevrange(keys.deletions, "+", "-", "COUNT", 1);
  return last?.[0] ?? "0-0";
}
