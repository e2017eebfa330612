import { LRUCache } from "lru-cache";
import { parseTweetId, parseUserId, type TweetId, type UserId } from "../domain/ids.ts";
import { toRemains, toTweet, type Tweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";

/** Runs any number of commands, see Exam.ask. */
type Ask = <Reply>(commands: Command[]) => Promise<Reply[]>;

/** Max entries of each cache, at 100 to 200 bytes. */
const cacheSize = 100_000;

/**
 * "coming": just signing up. "leaving": being erased by a job. "gone": erased, or never existed. "lost":
 * without an account, but with data that only an account makes; the operator must decide.
 */
export type UserState = "alive" | "coming" | "leaving" | "gone" | "lost";

/** Fields of a tweet that other data depends on. A draft is not a tweet yet. */
export type TweetFacts = Pick<Tweet, "author" | "createdAt" | "replyTo" | "retweetOf"> & {
  state: "alive" | "dead";
};

/** State of users and tweets for the checks: read in bulk, and cached for one look. */
export class Facts {
  readonly #ask: Ask;
  readonly #users = new LRUCache<string, UserState>({ max: cacheSize });
  readonly #tweets = new LRUCache<string, TweetFacts | "none">({ max: cacheSize });

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** "gone" for text that is not an id. */
  async users(ids: Iterable<string>): Promise<(id: string) => UserState> {
    const known = new Map<string, UserState>();
    const unknown: UserId[] = [];
    for (const id of new Set(ids)) {
      const state = this.#users.get(id);
      const user = parseUserId(id);
      if (state !== undefined) known.set(id, state);
      else if (user !== undefined) unknown.push(user);
    }
    const states = await this.readUsers(unknown);
    for (const [index, id] of unknown.entries()) {
      const state = states[index] ?? "gone";
      known.set(id, state);
      this.#users.set(id, state);
    }
    return (id) => known.get(id) ?? "gone";
  }

  /** The current state. */
  async readUsers(ids: UserId[]): Promise<UserState[]> {
    const replies = await this.#ask<unknown>(
      ids.flatMap((id) => [
        ["hmget", keys.user(id), "created_at", "name", "deleted_at"],
        ["ttl", keys.user(id)],
      ]),
    );
    const states = ids.map((_, index): UserState => {
      const [created, name, deleted] = replies[2 * index] as (string | null)[];
      if (typeof created !== "string" && typeof name !== "string") return "gone";
      if (typeof deleted === "string") return "leaving";
      return Number(replies[2 * index + 1]) >= 0 ? "coming" : "alive";
    });
    const absent = ids.filter((_, index) => states[index] === "gone");
    const lost = await this.withDeeds(absent);
    return ids.map((id, index) => (lost.has(id) ? "lost" : (states[index] ?? "gone")));
  }

  /** Users with data that only an account makes, and that is erased before the account. */
  async withDeeds(ids: UserId[]): Promise<Set<UserId>> {
    const deeds = [keys.userTimeline, keys.followings, keys.likes, keys.retweets, keys.blocks];
    const replies = await this.#ask<number>(
      ids.flatMap((id) => deeds.map((key): Command => ["exists", key(id)])),
    );
    return new Set(
      ids.filter((_, nth) => deeds.some((__, of) => replies[nth * deeds.length + of] === 1)),
    );
  }

  /** Undefined if there is neither a tweet nor a tombstone. */
  async tweets(ids: Iterable<string>): Promise<(id: string) => TweetFacts | undefined> {
    const known = new Map<string, TweetFacts | "none">();
    const unknown: TweetId[] = [];
    for (const id of new Set(ids)) {
      const facts = this.#tweets.get(id);
      const tweet = parseTweetId(id);
      if (facts !== undefined) known.set(id, facts);
      else if (tweet !== undefined) unknown.push(tweet);
    }
    const read = await this.readTweets(unknown);
    for (const [index, id] of unknown.entries()) {
      const facts = read[index] ?? "none";
      known.set(id, facts);
      this.#tweets.set(id, facts);
    }
    return (id) => {
      const facts = known.get(id);
      return facts === "none" ? undefined : facts;
    };
  }

  /** The current state. */
  async readTweets(ids: TweetId[]): Promise<(TweetFacts | undefined)[]> {
    const replies = await this.#ask<(string | null)[]>(
      ids.map((id) => ["hmget", keys.tweet(id), ...tweetFields]),
    );
    return ids.map((id, index) => toFacts(id, replies[index] ?? []));
  }
}

function toFacts(id: TweetId, values: (string | null)[]): TweetFacts | undefined {
  const remains = toRemains(id, values);
  if (remains === undefined) return undefined;
  const { author, createdAt, replyTo, retweetOf } = remains;
  const state = toTweet(id, values) === undefined ? "dead" : "alive";
  return { author, createdAt, replyTo, retweetOf, state };
}
