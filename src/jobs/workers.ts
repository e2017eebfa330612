import { type Job, Worker, type WorkerOptions } from "bullmq";
import type { Ctx } from "../context.ts";
import { settleFollow } from "../domain/timelines/follow.ts";
import { deliverTweet } from "../domain/tweets/deliver.ts";
import { throttled } from "./throttled.ts";
import { type JobData, queuePrefix } from "./queue.ts";

/** At most one line a second about a connection that fails tens of thousands of times a second. */
const quietMilliseconds = 1000;

export interface Workers {
  /** Finishes what is running, takes nothing new; while Redis is away it lets go at once. */
  close(): Promise<void>;
}

/** Runs promised work until closed. `ctx.redis` must be of the worker profile. */
export function startWorkers(ctx: Ctx): Workers {
  const options = workerOptions(ctx);
  const workers = [
    new Worker<JobData["deliver"]>("deliver", (job) => runDelivery(ctx, job), options),
    new Worker<JobData["settle"]>("settle", (job) => settleFollow(ctx, job.data), options),
  ];
  const onError = throttled(quietMilliseconds, (error: Error) =>
    ctx.log.error({ err: error }, "worker"),
  );
  for (const worker of workers) {
    worker.on("error", onError);
    worker.on("failed", (job, error) => logFailure(ctx, job, error));
  }
  return {
    async close() {
      const force = ctx.redis.status !== "ready";
      await Promise.all(workers.map((worker) => worker.close(force)));
    },
  };
}

function workerOptions(ctx: Ctx): WorkerOptions {
  return {
    connection: ctx.redis,
    prefix: queuePrefix,
    concurrency: 8,
    // A job whose worker was killed starts again within lock + check: 25 s.
    lockDuration: 15_000,
    stalledInterval: 10_000,
    // A killed worker is not the job's fault: BullMQ's own default of 1 would fail it.
    maxStalledCount: 1000,
  };
}

async function runDelivery(ctx: Ctx, job: Job<JobData["deliver"]>): Promise<void> {
  await deliverTweet(ctx, job.data.tweet, {
    done: typeof job.progress === "number" ? job.progress : 0,
    save: (done) => job.updateProgress(done),
  });
}

function logFailure(ctx: Ctx, job: Job | undefined, error: Error): void {
  const attempt = job?.attemptsMade ?? 0;
  const dead = job !== undefined && attempt >= (job.opts.attempts ?? 1);
  const about = { err: error, queue: job?.queueName, job: job?.id, attempt };
  if (dead) ctx.log.error(about, "job failed for good");
  else ctx.log.warn(about, "job will be tried again");
}
