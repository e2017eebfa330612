import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import type { Tally } from "./tally.ts";

interface Awaited {
  tweet: TweetId;
  /** The follower whose home timeline gets it last. */
  last: UserId;
  /** By performance.now(): when the POST began. */
  began: number;
  /** When that was in the simulated day. */
  at: number;
}

/** Real milliseconds between two looks, and until a delivery counts as lost. */
const pause = 4;
const patience = 120_000;
/** Tweets that are looked for at the same time. */
const most = 48;

/** Notes how long it takes from a POST until the last home timeline has the tweet. */
export class Arrivals {
  readonly #redis: RedisClient;
  readonly #tally: Tally;
  #awaited: Awaited[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisClient, tally: Tally) {
    this.#redis = redis;
    this.#tally = tally;
  }

  get isFull(): boolean {
    return this.#awaited.length >= most;
  }

  get isEmpty(): boolean {
    return this.#awaited.length === 0;
  }

  watch(awaited: Awaited): void {
    this.#awaited.push(awaited);
    this.#timer ??= setTimeout(() => void this.#look(), pause);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#awaited = [];
  }

  async #look(): Promise<void> {
    const looked = this.#awaited;
    const scores = await exec(
      this.#redis,
      looked.map(({ tweet, last }) => ["zscore", keys.homeTimeline(last), tweet]),
    ).catch(() => []);
    const now = performance.now();
    this.#awaited = this.#awaited.filter(({ began, at }, nth) => {
      const isThere = (scores[nth] ?? null) !== null;
      if (isThere) this.#tally.time("delay", now - began, at);
      else if (now - began > patience) this.#tally.count("lost", 1, at);
      else return true;
      return false;
    });
    this.#timer = this.isEmpty ? undefined : setTimeout(() => void this.#look(), pause);
  }
}
