import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { DelayedError, type Job, WaitingError, Worker } from "bullmq";
import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { isOutage } from "../domain/outage.ts";
import { sayRarely } from "../domain/say-rarely.ts";
import { readingDeadline, recorded } from "../domain/scope.ts";
import { type JobData, type QueueName, queuePrefix } from "./queue.ts";
import type { RedisClock } from "../redis/clocks.ts";

/** Min milliseconds between two log lines about jobs that wait. */
const quietMilliseconds = 10_000;
/** Delays of a job after an outage: doubled each time, between these two (or its own longest). */
const firstWaitMilliseconds = 1000;
const longestWaitMilliseconds = 30_000;

/**
 * Seconds that a worker blocks on an empty queue. A connection that is silent for longer than the worker
 * profile's `socketTimeout` is closed, so this must be well below it.
 */
const blockSeconds = 1;
/** Milliseconds before asking a queue again after Redis refused. */
const refusedMilliseconds = 1000;

export interface QueueWorkerOptions<Name extends QueueName> {
  name: Name;
  concurrency: number;
  /** Runs a job. Long work calls `alive` at least every `limits.silence`. */
  run(job: Job<JobData[Name]>, alive: () => void): Promise<void>;
  onFailed(job: Job, error: Error): void;
  onError(error: Error): void;
  limits?: typeof usualJobLimits;
  /** Max delay in milliseconds of a job after an outage. */
  longestWait?: number;
}

export type QueueWorker = ReturnType<typeof startQueueWorker>;

/**
 * Runs the jobs of one queue. An outage is not a failure: the job is delayed without counting an attempt, as
 * often as needed. A hung job fails like any other, and the next one starts.
 */
export function startQueueWorker<Name extends QueueName>(
  ctx: Ctx,
  connection: RedisClient,
  clock: RedisClock,
  {
    name,
    concurrency,
    run,
    onFailed,
    onError,
    limits = usualJobLimits,
    longestWait = longestWaitMilliseconds,
  }: QueueWorkerOptions<Name>,
) {
  const closing = new AbortController();
  setMaxListeners(2 * concurrency, closing.signal);
  const sayOutage = (job: Job, error: Error) => {
    const about = { err: error, queue: name, job: job.id, request: job.opts.telemetry?.metadata };
    sayRarely(ctx.log, "warn", about, "job waits for an outage to end", {
      pause: quietMilliseconds,
    });
  };
  // While Redis is away, commands wait for it: that is not the job's fault.
  const excused = () => ctx.redis.status !== "ready";
  const work = async (job: Job<JobData[Name]>, token: string): Promise<void> => {
    // A backup that is read key after key may have only the id of a job.
    if ((job as { name?: string }).name === undefined) {
      ctx.log.warn({ queue: name, job: job.id }, "a job without contents is dropped");
      return;
    }
    await waitUntilDue(job, token, clock);
    const bounds = { silence: limits.silence, closing: closing.signal, excused };
    const began = performance.now();
    await withinLimits(bounds, (alive) => run(job, alive));
    const took = Math.round(performance.now() - began);
    ctx.log.debug({ queue: name, job: job.id, name: job.name, took }, "job done");
  };
  const process = async (job: Job<JobData[Name]>, token = ""): Promise<void> => {
    try {
      const deadline = { ...readingDeadline(), writes: true };
      await recorded(undefined, () => work(job, token), deadline, job.opts.telemetry?.metadata);
    } catch (error) {
      if (error instanceof PutBack) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (!isOutage(error)) throw error;
      sayOutage(job, error);
      await delayJob(job, token, waitAfterOutage(job, longestWait));
    }
  };
  const worker = new PatientWorker<JobData[Name], void>(name, process, {
    connection,
    prefix: queuePrefix,
    concurrency,
    drainDelay: blockSeconds,
    // BullMQ's default would wait 15 s after a broken connection.
    runRetryDelay: 1000,
    // A job whose worker was killed starts again after at most lock + check: 25 s.
    lockDuration: 15_000,
    stalledInterval: 10_000,
    // A killed worker is rarely the job's fault, but a job that kills every worker is given up.
    maxStalledCount: 20,
  });
  worker.on("error", onError);
  worker.on("failed", (job, error) => {
    if (job !== undefined) onFailed(job, error);
  });
  return {
    /** Takes no new jobs, and finishes the running ones, or puts them back into the queue. */
    async close(force: boolean): Promise<void> {
      const timer = setTimeout(() => closing.abort(), limits.closing);
      await worker.close(force);
      clearTimeout(timer);
    },
  };
}

/** BullMQ's worker with short blocking and with pauses when Redis gives no job. */
class PatientWorker<Data, Result> extends Worker<Data, Result> {
  /** BullMQ's default would block for up to 10 s if a job is due later. */
  protected override getBlockTimeout(until: number): number {
    return Math.min(super.getBlockTimeout(until), blockSeconds);
  }

  /** BullMQ's default would ask again at once, thousands of times a second, if Redis is full. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (this.closing === undefined) await sleep(refusedMilliseconds);
      throw error;
    }
  }
}

/** A machine's clock that is ahead of Redis must not start jobs early. Promoting a job by hand still works. */
async function waitUntilDue(job: Job, token: string, clock: RedisClock): Promise<void> {
  const delay = job.opts.delay ?? 0;
  const due = job.timestamp + delay;
  if (delay === 0 || due > Date.now()) return;
  const left = Math.min(due - (await clock.now()), delay);
  if (left > 0) await delayJob(job, token, left);
}

/** Never returns: throws the error that tells BullMQ to delay the job without counting an attempt. */
async function delayJob(job: Job, token: string, milliseconds: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.ceil(milliseconds), token);
  throw new DelayedError();
}

function waitAfterOutage(job: Job, longest: number): number {
  const times = Math.max(job.attemptsStarted - job.attemptsMade - 1, 0);
  const most = Math.min(firstWaitMilliseconds * 2 ** Math.min(times, 10), longest);
  return Math.round(most * (0.5 + Math.random() / 2));
}

/** Limits of jobs in milliseconds; only tests shorten them. */
export const usualJobLimits = {
  /** A job that is silent for this long has failed, and the next one may start. */
  silence: 120_000,
  /** Time for running jobs to finish when the worker closes; after it they go back to the queue. */
  closing: 12_000,
};

/** Thrown if the worker had to close while the work was still running. */
class PutBack extends Error {}

interface Bounds {
  /** Milliseconds without a call of `alive` after which work counts as hung. */
  silence: number;
  /** Aborted when the worker cannot wait any longer. */
  closing: AbortSignal;
  /** True while silence is not the fault of the work. */
  excused(): boolean;
}

/**
 * The result of `work`. Throws if it hangs, and PutBack if the worker must close. Abandoned work may continue
 * in the background: work may run twice at a time.
 */
export async function withinLimits(
  { silence, closing, excused }: Bounds,
  work: (alive: () => void) => Promise<void>,
): Promise<void> {
  let heardAt = performance.now();
  const alive = () => void (heardAt = performance.now());
  const stop = new AbortController();
  const letGo = new Promise<never>((_, reject) => {
    const check = setInterval(() => {
      if (excused()) alive();
      else if (performance.now() - heardAt > silence)
        reject(new Error(`hung: nothing done for ${silence / 1000} s`));
    }, silence / 8);
    const putBack = () => reject(new PutBack("the worker closes"));
    closing.addEventListener("abort", putBack);
    stop.signal.addEventListener("abort", () => {
      clearInterval(check);
      // Not by the option `signal`: Node.js 20 forgets such removals when it collects garbage.
      closing.removeEventListener("abort", putBack);
    });
  });
  try {
    await Promise.race([letGo, work(alive)]);
  } finally {
    stop.abort();
  }
}
