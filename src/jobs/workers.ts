import { type Job, Worker, type WorkerOptions } from "bullmq";
import type { AccountWork, Ctx, RedisClient } from "../context.ts";
import { eraseAccount } from "../domain/accounts/erase.ts";
import { goOnImporting } from "../domain/accounts/import.ts";
import type { Stamp } from "../domain/stamp.ts";
import type { Progress } from "../domain/timelines/fan-out.ts";
import { deliverTweet, spreadTweet } from "../domain/tweets/deliver.ts";
import { alertOnce } from "./alerts.ts";
import { runChore } from "./chores.ts";
import { throttled } from "./throttled.ts";
import { type JobData, queuePrefix } from "./queue.ts";

/**
 * Asks again after so many seconds without a job. A connection that is silent for longer than the worker
 * profile's `socketTimeout` is given up, so this must be well below it.
 */
const blockSeconds = 2;

/** BullMQ would block for up to 10 s where a job is due later. */
class BrieflyBlocking<Data> extends Worker<Data> {
  protected override getBlockTimeout(until: number): number {
    return Math.min(super.getBlockTimeout(until), blockSeconds);
  }
}

/** At most one line a second about a connection that fails tens of thousands of times a second. */
const quietMilliseconds = 1000;

export interface Workers {
  /** Finishes what is running, takes nothing new; while Redis is away it lets go at once. */
  close(): Promise<void>;
}

/**
 * Runs promised work until closed. `ctx.redis` does the work, `connection` takes the jobs; both are
 * of the worker profile.
 */
export function startWorkers(ctx: Ctx, connection: RedisClient): Workers {
  const options = workerOptions(connection);
  const workers = [
    new BrieflyBlocking<JobData["deliver"]>("deliver", (job) => runDelivery(ctx, job), options),
    new BrieflyBlocking<JobData["spread"]>("spread", (job) => runSpread(ctx, job), {
      ...options,
      // Redis is what limits them: more at once would only slow each other down.
      concurrency: 2,
    }),
    new BrieflyBlocking<JobData["chores"]>(
      "chores",
      (job) => runChore(ctx, job.name, job.data),
      options,
    ),
    // Long and nobody waits for it: two at once leave Redis to those who read and write.
    new BrieflyBlocking<JobData["accounts"]>("accounts", (job) => runAccountWork(ctx, job.data), {
      ...options,
      concurrency: 2,
    }),
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
      // Should Redis go away meanwhile, BullMQ would wait for it to come back.
      const lost = new Promise<void>((resolve) => connection.once("close", resolve));
      const closed = Promise.all(workers.map((worker) => worker.close(force)));
      await Promise.race([closed, lost]);
    },
  };
}

function workerOptions(connection: RedisClient): WorkerOptions {
  return {
    connection,
    prefix: queuePrefix,
    concurrency: 8,
    drainDelay: blockSeconds,
    // A job whose worker was killed starts again within lock + check: 25 s.
    lockDuration: 15_000,
    stalledInterval: 10_000,
    // A killed worker is not the job's fault: BullMQ's own default of 1 would fail it.
    maxStalledCount: 1000,
  };
}

async function runDelivery(ctx: Ctx, job: Job<JobData["deliver"]>): Promise<void> {
  await deliverTweet(ctx, job.data.tweet, progressOf(job, 0));
}

async function runSpread(ctx: Ctx, job: Job<JobData["spread"]>): Promise<void> {
  await spreadTweet(ctx, job.data.tweet, progressOf(job, job.data.after));
}

async function runAccountWork(ctx: Ctx, work: AccountWork): Promise<void> {
  if (work.task === "import") await goOnImporting(ctx, work.user);
  else await eraseAccount(ctx, work);
}

/** Kept with the job, so that another worker goes on where this one stopped. */
function progressOf(job: Job, start: Stamp): Progress {
  return {
    done: typeof job.progress === "number" ? Math.max(job.progress, start) : start,
    save: (done) => job.updateProgress(done),
  };
}

function logFailure(ctx: Ctx, job: Job | undefined, error: Error): void {
  const attempt = job?.attemptsMade ?? 0;
  const dead = job !== undefined && attempt >= (job.opts.attempts ?? 1);
  const about = { err: error, queue: job?.queueName, job: job?.id, attempt };
  if (!dead) {
    ctx.log.warn(about, "job will be tried again");
    return;
  }
  ctx.log.error(about, "job failed for good");
  const letter = { queue: job.queueName, job: job.id ?? "", attempts: attempt };
  void alertOnce(ctx, { ...letter, reason: error.message });
}
