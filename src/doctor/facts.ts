import { LRUCache } from "lru-cache";
import { parseTweetId, parseUserId, type TweetId, type UserId } from "../domain/ids.ts";
import { toRemains, toTweet, type Tweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";

/** Runs any number of commands, see Exam.ask. */
type Ask = <Reply>(commands: Command[]) => Promise<Reply[]>;

/** Held in memory of each, at 100 to 200 bytes. */
const kept = 100_000;

/**
 * "coming": signing up this moment. "leaving": being erased, which a job sees to. "gone": erased, or
 * never was. "lost": without an account, yet with what only an account does; a person has to decide.
 */
export type UserState = "alive" | "coming" | "leaving" | "gone" | "lost";

/** What of a tweet others depend on. A draft is no tweet yet. */
export type TweetFacts = Pick<Tweet, "author" | "createdAt" | "replyTo" | "retweetOf"> & {
  state: "alive" | "dead";
};

/** What many checks ask about users and tweets: in bulk, and remembered for this one look. */
export class Facts {
  readonly #ask: Ask;
  readonly #users = new LRUCache<string, UserState>({ max: kept });
  readonly #tweets = new LRUCache<string, TweetFacts | "none">({ max: kept });

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Of what is no id, "gone". */
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

  /** As they are this moment. */
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

  /** Those who did something that only an account does, and that is erased before the account. */
  async withDeeds(ids: UserId[]): Promise<Set<UserId>> {
    const deeds = [keys.userTimeline, keys.followings, keys.likes, keys.retweets, keys.blocks];
    const replies = await this.#ask<number>(
      ids.flatMap((id) => deeds.map((key): Command => ["exists", key(id)])),
    );
    return new Set(
      ids.filter((_, nth) => deeds.some((__, of) => replies[nth * deeds.length + of] === 1)),
    );
  }

  /** Undefined where there is neither a tweet nor a tombstone. */
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

  /** As they are this moment. */
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
