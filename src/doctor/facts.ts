import { LRUCache } from "lru-cache";
import { parseTweetId, parseUserId, type UserId } from "../domain/ids.ts";
import { toTombstone, toTweet, type Tweet, tweetFields } from "../domain/tweets/tweet.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";

/**
 * "coming": just signing up. "leaving": being erased by a job. "gone": erased, or never existed. "lost":
 * without an account, but with data that only an account makes; the operator must decide.
 */
type UserState = "alive" | "coming" | "leaving" | "gone" | "lost";

export type TweetFacts = Pick<
  Tweet,
  "id" | "author" | "createdAt" | "replyTo" | "retweetOf" | "audience" | "mentions"
> & {
  /** True unless the tweet is deleted. */
  alive: boolean;
};

/** What only an account makes, and what is erased before the account. */
export const deeds = [
  "userTimeline",
  "sentMessages",
  "followings",
  "likes",
  "retweets",
  "blocks",
] as const;

/** State of users and tweets for the checks, cached for one look. */
export class Facts {
  readonly #redis: RedisClient;
  readonly #users: LRUCache<string, Promise<UserState>>;
  readonly #tweets: LRUCache<string, Promise<TweetFacts | undefined>>;

  /** `max`: entries of each cache, at 200 to 300 bytes. */
  constructor(redis: RedisClient, max: number) {
    this.#redis = redis;
    // `max` would take all of the memory at once.
    const bounds = { maxSize: max, sizeCalculation: () => 1 };
    this.#users = new LRUCache(bounds);
    this.#tweets = new LRUCache(bounds);
  }

  /** "gone" for text that is not an id. */
  user(id: string): Promise<UserState> {
    return recall(this.#users, id, async () => {
      const user = parseUserId(id);
      if (user === undefined) return "gone";
      const [[created, name, deleted], life] = await Promise.all([
        this.#redis.hmget(keys.user(user), "created_at", "name", "deleted_at"),
        this.#redis.ttl(keys.user(user)),
      ]);
      if ((created ?? name) === null) return (await this.hasDeeds(user)) ? "lost" : "gone";
      if (deleted !== null) return "leaving";
      return life >= 0 ? "coming" : "alive";
    });
  }

  async hasDeeds(user: UserId): Promise<boolean> {
    const counts = await Promise.all(deeds.map((name) => this.#redis.exists(keys[name](user))));
    return counts.includes(1);
  }

  /** Undefined if there is neither a tweet nor a tombstone. */
  tweet(text: string): Promise<TweetFacts | undefined> {
    return recall(this.#tweets, text, async () => {
      const id = parseTweetId(text);
      if (id === undefined) return undefined;
      const values = await this.#redis.hmget(keys.tweet(id), ...tweetFields);
      const tombstone = toTombstone(id, values);
      if (tombstone === undefined) return undefined;
      const { author, createdAt, replyTo, retweetOf, audience, mentions } = tombstone;
      const alive = toTweet(id, values) !== undefined;
      return { id, author, createdAt, replyTo, retweetOf, audience, mentions, alive };
    });
  }
}

/** Reads a fact once; again after a failure. */
function recall<Fact>(
  cache: LRUCache<string, Promise<Fact>>,
  id: string,
  read: () => Promise<Fact>,
): Promise<Fact> {
  const cached = cache.get(id);
  if (cached !== undefined) return cached;
  const fact = read();
  cache.set(id, fact);
  fact.catch(() => cache.delete(id));
  return fact;
}
