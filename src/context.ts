import type { Cluster, Redis } from "ioredis";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { TweetId, UserId } from "./domain/ids.ts";

/** One Redis or a cluster of them; the domain does not care which. */
export type RedisClient = Redis | Cluster;

/** Promises of work to be done soon, kept in Redis: once the returned promise resolves, a crash does not lose it. */
export interface Jobs {
  /** Bring a tweet to its author's followers. Asking twice for one tweet is harmless. */
  deliverTweet(tweet: TweetId): Promise<void>;
  /** A little later, make everything else agree with whether `follower` follows `followee`. */
  settleFollow(edge: { follower: UserId; followee: UserId }): Promise<void>;
}

/** All that a domain verb may lean on. */
export interface Ctx {
  redis: RedisClient;
  jobs: Jobs;
  log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
  config: Config;
}
