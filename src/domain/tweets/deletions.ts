import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId } from "../ids.ts";
import { rememberedSeconds, rememberedTweets } from "./remembered.ts";

/** Twice as long as any process remembers a tweet: clocks may differ, processes may pause. */
const announcedSeconds = 2 * rememberedSeconds;
/** Read at a time. */
const batch = 1000;
/** Deletions that one process keeps in mind; far more than a site has in two hours. */
const kept = 100_000;
/** Of more than so many batches at once, as after a long pause, it is cheaper to forget all tweets. */
const mostBatches = 20;

interface Known {
  /** Place in the stream up to which this process has read; undefined before the first look. */
  place: string | undefined;
  deleted: LRUCache<TweetId, true>;
}

const memories = new WeakMap<RedisClient, Known>();

/**
 * Tells every process that may remember the tweet to look again. Telling twice is harmless; whether
 * it is gone is for its tombstone to say, as this process may end before it has written that.
 */
export async function announceDeletion(ctx: Ctx, tweet: TweetId): Promise<void> {
  const oldest = Date.now() - announcedSeconds * 1000;
  await ctx.redis.announceDeletion(keys.deletions, tweet, oldest);
}

/**
 * Learns which deletions were announced up to this moment, by one small command, and says of any
 * tweet whether what is remembered of it may be outdated. Tweets read from Redis after this tell by
 * themselves.
 */
export async function learnDeletions(ctx: Ctx): Promise<(tweet: TweetId) => boolean> {
  const known = knownOf(ctx);
  if (known.place === undefined) await findEnd(ctx, known);
  for (let read = 0; read < mostBatches; read += 1) {
    const from = `(${known.place}`;
    const news = await ctx.redis.xrange(keys.deletions, from, "+", "COUNT", batch);
    for (const [place, [, id = ""]] of news) {
      known.deleted.set(tweetId(id), true);
      known.place = place;
    }
    if (news.length < batch) return (tweet) => known.deleted.size > 0 && known.deleted.has(tweet);
  }
  known.place = undefined;
  known.deleted.clear();
  rememberedTweets(ctx).clear();
  return await learnDeletions(ctx);
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

/** A process that remembers nothing yet need not know what was deleted before. */
async function findEnd(ctx: Ctx, known: Known): Promise<void> {
  const end = await endOf(ctx);
  known.place ??= end;
}

async function endOf(ctx: Ctx): Promise<string> {
  const [last] = await ctx.redis.xrevrange(keys.deletions, "+", "-", "COUNT", 1);
  return last?.[0] ?? "0-0";
}

function knownOf(ctx: Ctx): Known {
  const found = memories.get(ctx.redis);
  if (found !== undefined) return found;
  const deleted = new LRUCache<TweetId, true>({
    max: kept,
    // Whoever no longer knows that it was deleted must not remember it either.
    dispose: (_, tweet) => void rememberedTweets(ctx).delete(tweet),
  });
  const known: Known = { place: undefined, deleted };
  memories.set(ctx.redis, known);
  return known;
}
