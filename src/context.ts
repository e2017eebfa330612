import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { TweetId, UserId } from "./domain/ids.ts";
import type { Stamp } from "./domain/stamp.ts";
import type { Memory } from "./redis/memory.ts";
import type { RedisClient } from "./redis/redis-client.ts";

/** Promises of work to be done soon, kept in Redis: once the returned promise resolves, a crash does not lose it. */
export interface Jobs {
  /**
   * Bring a tweet to its author's followers. Asking twice for one tweet is harmless: it is delivered once
   * in an hour, but for "again".
   */
  deliverTweet(tweet: TweetId, how?: "again"): Promise<void>;
  /** Bring it to those followers who came after the stamp `after`, without holding up others. */
  spreadTweet(tweet: TweetId, after: Stamp): Promise<void>;
  /**
   * A small piece of work that nobody waits for; see Chores. Done at once, or a little "later", when
   * the request that promised it is over.
   */
  chore<Name extends keyof Chores>(
    name: Name,
    data: Chores[Name],
    when?: "now" | "later",
  ): Promise<void>;
  /** Goes on with what takes long about one account, in a lane of its own; `delay` in milliseconds. */
  workOnAccount(work: AccountWork, delay?: number): Promise<void>;
  counts(): Promise<JobCount[]>;
}

/** One bounded step of it is done at a time; each promises the next. It may run twice. */
export type AccountWork =
  | { task: "import"; user: UserId }
  /** The last pass takes along what was still being written while the first one ran. */
  | { task: "erase"; user: UserId; pass: "first" | "last" };

/** What each chore is told. A chore reads the truth and makes the rest agree; it may run twice. */
export interface Chores {
  /** Make both ends agree with whether `follower` follows `followee`. */
  "settle-follow": { follower: UserId; followee: UserId };
  /** … with whether `blocker` has blocked `blocked`. */
  "settle-block": { blocker: UserId; blocked: UserId };
  /** … with whether `user` likes `tweet`. */
  "settle-like": { user: UserId; tweet: TweetId };
  /** … with whether `user` retweets `tweet`. */
  "settle-retweet": { user: UserId; tweet: TweetId };
  /** Take what is left of a deleted tweet out of everybody's lists. */
  "settle-deletion": { tweet: TweetId };
  /** Keep and list somebody who has signed up, if they have. */
  "settle-sign-up": { user: UserId };
  /** Make the search for people agree with somebody's name, full name or absence. */
  "index-person": { user: UserId };
  /** Make somebody's `avatar` agree with the picture that is kept for them, or with its absence. */
  "settle-avatar": { user: UserId };
  /** Take a tweet, if it was deleted, out of the lists of the words that it had. */
  "unindex-tweet": { tweet: TweetId; author: UserId; terms: string[] };
}

/** How many jobs of a queue are in one state: waiting, active, delayed, failed. */
export interface JobCount {
  queue: string;
  state: string;
  count: number;
}

/** All that a domain verb may lean on. */
export interface Ctx {
  redis: RedisClient;
  /** What this process knows of Redis; reads that decide nothing go through it. */
  memory: Memory;
  jobs: Jobs;
  log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
  config: Config;
}
