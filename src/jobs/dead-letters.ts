import { type Job, Queue } from "bullmq";
import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { isOutage } from "../domain/outage.ts";
import { sayRarely } from "../domain/say-rarely.ts";
import { isAlert, promiseAlert } from "./alerts.ts";
import { retryFailed } from "./failed-jobs.ts";
import { type QueueName, queueNames, queuePrefix } from "./queue.ts";

/** Interval of a round over the dead letters. */
const roundMilliseconds = 60_000;
/** Dead letters of each queue per round; the next round continues after them. */
const atOnce = 200;
/** Max age of a failure that is alerted now if a crash prevented its alert. Less than the hour between alerts. */
const freshMilliseconds = 30 * 60 * 1000;

/**
 * Handles dead letters: replays those that failed by an outage, and sends an alert for the others. Safe in any
 * number of workers.
 */
export function watchDeadLetters(ctx: Ctx, connection: RedisClient) {
  const sayError = (error: unknown) => {
    sayRarely(ctx.log, "error", { err: error }, "dead letters", { pause: roundMilliseconds });
  };
  const options = { connection, prefix: queuePrefix, skipMetasUpdate: true };
  const open = (name: QueueName) => new Queue(name, options).on("error", sayError);
  const queues = queueNames.map((name) => [name, open(name)] as const);
  const chores = open("chores");
  const offsets = new Map<string, number>();
  const tell = async (job: Job) => {
    if (isAlert(job.name)) return;
    const letter = { queue: job.queueName, job: job.id ?? "", attempts: job.attemptsMade };
    await promiseAlert(ctx, chores, { ...letter, reason: job.failedReason });
  };
  const round = async () => {
    for (const [name, queue] of queues) {
      const offset = offsets.get(name) ?? 0;
      const failed = await queue.getFailed(offset, offset + atOnce - 1);
      let left = 0;
      for (const job of failed)
        if (isOutage(new Error(job.failedReason))) await retryFailed(job);
        else {
          left += 1;
          if (ctx.now() - (job.finishedOn ?? 0) < freshMilliseconds) await tell(job);
        }
      offsets.set(name, failed.length < atOnce ? 0 : offset + left);
    }
  };
  let running: Promise<void> | undefined;
  const start = () => {
    running ??= round()
      .catch(sayError)
      .finally(() => (running = undefined));
  };
  const timer = setInterval(start, roundMilliseconds);
  start();
  return {
    /** Logs a failure; promises an alert if it was the last try. */
    note(job: Job, error: Error) {
      const { queueName: queue, id, attemptsMade: attempt, opts } = job;
      const about = { err: error, queue, job: id, attempt, request: opts.telemetry?.metadata };
      if (job.finishedOn === undefined) {
        ctx.log.warn(about, "job will be tried again");
        return;
      }
      ctx.log.error(about, "job failed for good");
      if (!isOutage(error)) void tell(job).catch(sayError);
    },
    close: () => clearInterval(timer),
  };
}
