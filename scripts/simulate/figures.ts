import { endOf, readSegments } from "../../src/domain/search/segments.ts";
import { keys } from "../../src/redis/keys.ts";
import { bytesOfKinds, type Growth, type KindBytes } from "../bench/kinds.ts";
import type { Lab } from "../bench/lab.ts";
import { seal } from "../bench/search.ts";
import type { Sized } from "./model.ts";
import type { Tally } from "./tally.ts";
import type { Town } from "./town.ts";

/** What a day came to. */
export interface DayFigures {
  people: number;
  seed: number;
  town: Town;
  tally: Tally;
  /** The hour in which the time was over; undefined after a whole day. */
  cut: number | undefined;
  /** Real milliseconds. */
  spent: { settle: number; play: number; waited: number; measure: number };
  site: SiteFigures;
}

/** What is in Redis. */
export interface SiteFigures {
  /** Bytes by what keys grow with; "bounded" are the queues, and the search lists of the newest tweets, at most 511. */
  bytes: Record<Growth | "bounded", number>;
  /** How many there are of each: tweets, accounts, follows, home timelines and notifications. */
  counts: Record<"tweet" | "person" | "follow" | "home" | "notification", number>;
  /** Bytes of all keys by kind, the largest first. */
  kinds: (KindBytes & { name: string })[];
}

/** What the keys of a kind grow with; the search lists of tweets that are not sealed do not grow with all tweets. */
export function growthOf({ name, grows }: { name: string; grows: Growth }): Growth | "bounded" {
  return name === "queuePrefix" || name === "searchTerm" ? "bounded" : grows;
}

type NamedKind = Pick<KindBytes, "grows" | "bytes"> & { name: string };

/**
 * Bytes by what they grow with. Of `tweets` so many are `sealed`; up to 511 wait. Their share of the segments is counted
 * as well: otherwise a site of 500 tweets would have none, and the next tweets 512 at once.
 */
export function bytesByGrowth(
  kinds: readonly NamedKind[],
  { tweets, sealed }: { tweets: number; sealed: number },
): SiteFigures["bytes"] {
  const bytes = { tweet: 0, person: 0, follow: 0, home: 0, notification: 0, site: 0, bounded: 0 };
  for (const kind of kinds) {
    const isSegment = sealed > 0 && /^sealed[A-Z]/.test(kind.name);
    bytes[growthOf(kind)] += kind.bytes * (isSegment ? tweets / sealed : 1);
  }
  return bytes;
}

/** After the day, with all processes ended. Seals the tweets, as hourly chores do, so that search has its usual size. */
export async function measureSite(lab: Lab): Promise<SiteFigures> {
  const tweets = Number(await lab.ctx.redis.get(keys.tweetIds));
  // Bytes of keys need not wait until Redis has given back what was deleted.
  await seal({ ...lab, seconds: () => 0 }, tweets);
  const sealed = endOf((await readSegments(lab.ctx)).segments) - 1;
  const byKind = await bytesOfKinds(lab.ctx.redis);
  const kinds = Object.entries(byKind).map(([name, kind]) => ({ name, ...kind }));
  const bytes = bytesByGrowth(kinds, { tweets, sealed });
  const counts = {
    tweet: byKind.tweet.keys,
    person: byKind.user.keys,
    follow: byKind.followings.members,
    home: byKind.homeTimeline.keys,
    notification: byKind.notifications.members,
  };
  kinds.sort((one, other) => other.bytes - one.bytes);
  return { bytes, counts, kinds };
}

/** What the model predicts: memory by what keys grow with (all: but for what is bounded), numbers, seconds of processor time. */
export function sizedOf({ people, tally, site }: DayFigures): Sized {
  const { tweet, person, follow, home, notification, site: ofSite } = site.bytes;
  return {
    people,
    values: {
      "tweets, bytes": tweet,
      "accounts, bytes": person,
      "follows, bytes": follow,
      "homes, bytes": home,
      "notices, bytes": notification,
      "all, bytes": tweet + person + follow + home + notification + ofSite,
      posts: tally.sum("tweets") + tally.sum("replies") + tally.sum("retweets"),
      deliveries: tally.sum("deliveries"),
      "worker, s": tally.sum("cpu worker"),
      "Redis, s": tally.sum("cpu Redis"),
      "web, s": tally.sum("cpu web"),
    },
  };
}
