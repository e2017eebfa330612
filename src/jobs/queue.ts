import { type JobsOptions, Queue } from "bullmq";
import type { Jobs, RedisClient } from "../context.ts";
import type { TweetId, UserId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";

/** What each queue's jobs carry. */
export interface JobData {
  deliver: { tweet: TweetId };
  settle: { follower: UserId; followee: UserId };
}

export const queuePrefix = keys.queuePrefix;

/** A follow is settled this long after it was promised: the request that promised it is over by then. */
const settleDelay = 10_000;

/**
 * Tried again after about 1, 2, 4 … seconds, a good four minutes in all. A job that still fails is
 * a dead letter: kept until somebody replays it.
 */
const retried: JobsOptions = {
  attempts: 9,
  backoff: { type: "exponential", delay: 1000, jitter: 0.5 },
  // Seconds. While it is kept, a repeated promise of the same delivery is known to be kept.
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: false,
};

export interface Queues extends Jobs {
  close(): Promise<void>;
}

/** The promises of work, kept in Redis by BullMQ. Errors of its connection reach `onError`. */
export function createQueues(connection: RedisClient, onError: (error: Error) => void): Queues {
  const options = { connection, prefix: queuePrefix, defaultJobOptions: retried };
  const deliver = new Queue<JobData["deliver"]>("deliver", options);
  const settle = new Queue<JobData["settle"]>("settle", options);
  for (const queue of [deliver, settle]) queue.on("error", onError);
  return {
    async deliverTweet(tweet) {
      await deliver.add("deliver", { tweet }, { jobId: `tweet-${tweet}` });
    },
    async settleFollow({ follower, followee }) {
      const later = { delay: settleDelay, removeOnComplete: true };
      await settle.add("settle", { follower, followee }, later);
    },
    async close() {
      await Promise.all([deliver.close(), settle.close()]);
    },
  };
}
