import type { Job } from "bullmq";
import type { AccountWork, Ctx, ReportNotice } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { eraseAccount } from "../domain/accounts/erase.ts";
import { continueImport } from "../domain/accounts/import.ts";
import { sayRarely } from "../domain/say-rarely.ts";
import { deliverMail } from "../mail/deliver.ts";
import { deliverPush } from "../push/deliver.ts";
import type { Stamp } from "../domain/stamp.ts";
import type { FanOutProgress } from "../domain/timelines/store.ts";
import { prepareUpload } from "../domain/pictures/prepare-upload.ts";
import { resumeIndexing } from "../domain/search/index-older.ts";
import { deliverTweet, spreadTweet } from "../domain/actions/deliver-tweet.ts";
import { alertName, type DeadLetter, reportName, sendAlert, sendReportAlert } from "./alerts.ts";
import { runChore } from "./chores.ts";
import { watchDeadLetters } from "./dead-letters.ts";
import { type QueueWorkerOptions, startQueueWorker } from "./queue-worker.ts";
import type { Chore, JobData } from "./queue.ts";
import { redisClock } from "./redis-clock.ts";

export interface Workers {
  /**
   * Takes no new jobs, and finishes the running ones, or puts them back into their queues. Gives up at once
   * while Redis is away.
   */
  close(): Promise<void>;
}

/**
 * Runs promised work until closed. `ctx.redis` does the work, `connection` takes the jobs; both have the
 * worker profile.
 */
export function startWorkers(ctx: Ctx, connection: RedisClient): Workers {
  const clock = redisClock(ctx.redis);
  const names = ["deliver", "spread", "chores", "accounts", "mails", "pictures", "pushes"] as const;
  const letters = watchDeadLetters(ctx, connection, names);
  // A connection may fail tens of thousands of times a second.
  const onError = (error: Error) => sayRarely(ctx.log, "error", { err: error }, "worker");
  const open = <Name extends keyof JobData>(
    name: Name,
    concurrency: number,
    run: QueueWorkerOptions<Name>["run"],
    more: Pick<QueueWorkerOptions<Name>, "longestWait"> = {},
  ) => {
    const options = { name, concurrency, run, onFailed: letters.note, onError, ...more };
    return startQueueWorker(ctx, connection, clock, options);
  };
  const queueWorkers = [
    open("deliver", 8, (job, alive) =>
      deliverTweet(ctx, job.data.tweet, progressOf(job, 0, alive)),
    ),
    // Limited by Redis: more at once would only slow each other down.
    open("spread", 2, (job, alive) =>
      spreadTweet(ctx, job.data.tweet, progressOf(job, job.data.after, alive)),
    ),
    open("chores", 8, (job) => runChoreOrAlert(ctx, job)),
    // Long and not urgent: two at once leave Redis to users.
    open("accounts", 2, (job) => runAccountWork(ctx, job.data)),
    // Each is a connection to the mail server.
    open("mails", 2, (job) => deliverMail(ctx, job.data)),
    // Each keeps a core busy. Their users wait, also after an outage.
    open("pictures", 2, (job) => prepareUpload(ctx, job.data), { longestWait: 4000 }),
    // They wait for push services most of the time.
    open("pushes", 8, (job) => deliverPush(ctx, job.data, isLastAttempt(job))),
  ];
  const resume = () => {
    resumeIndexing(ctx).catch((error: unknown) => {
      sayRarely(ctx.log, "warn", { err: error }, "indexing");
    });
  };
  resume();
  connection.on("ready", resume);
  return {
    async close() {
      letters.close();
      connection.off("ready", resume);
      const force = ctx.redis.status !== "ready";
      // If Redis goes away meanwhile, BullMQ would wait for it to come back.
      const lost = new Promise<void>((resolve) => connection.once("close", resolve));
      const closed = Promise.all(queueWorkers.map((worker) => worker.close(force)));
      await Promise.race([closed, lost]);
    },
  };
}

function isLastAttempt({ attemptsMade, opts }: Job): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}

async function runChoreOrAlert(ctx: Ctx, job: Job<JobData["chores"]>): Promise<void> {
  if (job.name === alertName) await sendAlert(ctx, job.data as DeadLetter);
  else if (job.name === reportName) await sendReportAlert(ctx, job.data as ReportNotice);
  else await runChore(ctx, job.name, job.data as Chore);
}

async function runAccountWork(ctx: Ctx, work: AccountWork): Promise<void> {
  if (work.task === "import") await continueImport(ctx, work.user);
  else await eraseAccount(ctx, work);
}

/** Stored with the job, so that another worker continues where this one stopped. */
function progressOf(job: Job, start: Stamp, alive: () => void): FanOutProgress {
  return {
    done: typeof job.progress === "number" ? Math.max(job.progress, start) : start,
    async save(done) {
      await job.updateProgress(done);
      alive();
    },
  };
}
