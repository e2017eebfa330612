import { LRUCache } from "lru-cache";
import { parseTweetId, parseUserId, type UserId } from "../domain/ids.ts";
import { toTombstone, toTweet, type Tweet, tweetFields } from "../domain/tweets/tweet.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { ask, none } from "./ask.ts";

/**
 * "coming": just signing up. "leaving": being erased by a job. "gone": erased, or never existed. "lost":
 * without an account, but with data that only an account makes; the operator must decide.
 */
type UserState = "alive" | "coming" | "leaving" | "gone" | "lost";

export type TweetFacts = Pick<Tweet, "id" | "author" | "createdAt" | "replyTo" | "retweetOf"> & {
  /** True unless the tweet is deleted. */
  alive: boolean;
};

/** State of users and tweets for the checks: read in bulk, and cached for one look. */
export class Facts {
  readonly #redis: RedisClient;
  readonly #users: LRUCache<string, UserState>;
  /** False: there is neither a tweet nor a tombstone. */
  readonly #tweets: LRUCache<string, TweetFacts | false>;

  /** `max`: entries of each cache, at 100 to 200 bytes. */
  constructor(redis: RedisClient, max: number) {
    this.#redis = redis;
    // `max` would take all of the memory at once.
    const bounds = { maxSize: max, sizeCalculation: () => 1 };
    this.#users = new LRUCache(bounds);
    this.#tweets = new LRUCache(bounds);
  }

  /** "gone" for text that is not an id. */
  async users(ids: string[]): Promise<(id: string) => UserState> {
    const states = await recall(this.#users, ids, async (unknown) => {
      const users = unknown.map((id) => ({ id: parseUserId(id) ?? none.user }));
      const accounts = await ask(this.#redis, users, ({ id }) => ({
        fields: ["hmget", keys.user(id), "created_at", "name", "deleted_at"],
        life: ["ttl", keys.user(id)],
      }));
      const absent = accounts.filter(({ fields: [created, name] }) => (created ?? name) === null);
      const lost = await this.withDeeds(absent.map(({ id }) => id));
      return accounts.map(({ id, fields: [created, name, deleted], life }) => {
        if ((created ?? name) === null) return lost.has(id) ? "lost" : "gone";
        if (deleted !== null) return "leaving";
        return life >= 0 ? "coming" : "alive";
      });
    });
    return (id) => states.get(id) ?? "gone";
  }

  /** The users with data that only an account makes, and that is erased before the account. */
  async withDeeds(ids: UserId[]): Promise<Set<string>> {
    const users = ids.map((id) => ({ id }));
    const owners = await ask(this.#redis, users, ({ id }) => ({
      tweets: ["exists", keys.userTimeline(id)],
      followings: ["exists", keys.followings(id)],
      likes: ["exists", keys.likes(id)],
      retweets: ["exists", keys.retweets(id)],
      blocks: ["exists", keys.blocks(id)],
    }));
    const active = owners.filter((user) =>
      [user.tweets, user.followings, user.likes, user.retweets, user.blocks].includes(1),
    );
    return new Set(active.map(({ id }) => id));
  }

  /** Undefined if there is neither a tweet nor a tombstone. */
  async tweets(ids: string[]): Promise<(id: string) => TweetFacts | undefined> {
    const facts = await recall(this.#tweets, ids, async (unknown) => {
      const tweets = unknown.map((id) => ({ id: parseTweetId(id) ?? none.tweet }));
      const hashes = await ask(this.#redis, tweets, ({ id }) => ({
        values: ["hmget", keys.tweet(id), ...tweetFields],
      }));
      return hashes.map(({ id, values }) => {
        const tombstone = toTombstone(id, values);
        if (tombstone === undefined) return false;
        const { author, createdAt, replyTo, retweetOf } = tombstone;
        const alive = toTweet(id, values) !== undefined;
        return { id, author, createdAt, replyTo, retweetOf, alive };
      });
    });
    return (id) => facts.get(id) || undefined;
  }
}

/** `read` returns facts in the order of the ids. */
async function recall<Fact extends string | object | false>(
  cache: LRUCache<string, Fact>,
  ids: string[],
  read: (unknown: string[]) => Promise<Fact[]>,
): Promise<Map<string, Fact>> {
  const facts = new Map<string, Fact>();
  const unknown = [...new Set(ids)].filter((id) => {
    const fact = cache.get(id);
    if (fact !== undefined) facts.set(id, fact);
    return fact === undefined;
  });
  for (const [index, fact] of (await read(unknown)).entries()) {
    const id = unknown[index] ?? "";
    facts.set(id, fact);
    cache.set(id, fact);
  }
  return facts;
}
