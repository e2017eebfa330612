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

/**
 * Real milliseconds between two looks: a share of how long the newest tweet has been looked for, so that all times are
 * known equally well, and the looks cost little where deliveries are slow.
 */
const pause = { share: 1 / 16, least: 4, most: 50 };
/** Real milliseconds until a delivery counts as lost. */
const patience = 120_000;
/** Tweets that are looked for at the same time. */
const most = 48;

/** Notes how long it takes from a POST until the last home timeline has the tweet. */
export class Arrivals {
  readonly #redis: RedisClient;
  readonly #tally: Tally;
  #awaited: Awaited[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

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
    // A look plans the next one.
    if (!this.#isLooking) this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#awaited = [];
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const newest = this.#awaited.at(-1);
    if (newest === undefined) return;
    const wanted = pause.share * (performance.now() - newest.began);
    const next = Math.min(pause.most, Math.max(pause.least, wanted));
    this.#timer = setTimeout(() => void this.#look(), next);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
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
    this.#isLooking = false;
    this.#plan();
  }
}
