import type { Job } from "bullmq";
import type { Chores, Ctx, ReportNotice } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { eraseAccount } from "../domain/accounts/erase.ts";
import { countStorage } from "../domain/accounts/count-storage.ts";
import { findOldTweets, deleteOldTweets } from "../domain/accounts/self-deletion.ts";
import { continueImport } from "../domain/accounts/import.ts";
import { sayRarely } from "../domain/say-rarely.ts";
import { deliverMail } from "../mail/deliver.ts";
import { runFetch } from "../fetch/work.ts";
import { deliverPush } from "../push/deliver.ts";
import type { Stamp } from "../domain/ids.ts";
import type { FanOutProgress } from "../domain/timelines/store.ts";
import { prepareUpload } from "../domain/pictures/prepare-upload.ts";
import { indexOlder, resumeIndexing } from "../domain/search/index-older.ts";
import { deliverTweet, notifyWatchers, spreadTweet } from "../domain/actions/deliver-tweet.ts";
import { alertName, type DeadLetter, reportName, sendAlert, sendReportAlert } from "./alerts.ts";
import { watchDeadLetters } from "./dead-letters.ts";
import { type QueueWorkerOptions, startQueueWorker } from "./queue-worker.ts";
import type { JobData, QueueName } from "./queue.ts";
import { redisClock } from "../redis/clocks.ts";
import { promiseDigests } from "../domain/accounts/digest.ts";
import { hasMail, reconcileAddress } from "../domain/accounts/mail.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { reconcileUpload } from "../domain/actions/attach-pictures.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileFollow, reconcileRequest } from "../domain/actions/follow.ts";
import { promiseDueDrafts, sendDueDrafts } from "../domain/actions/send-draft.ts";
import { endDuePolls, promiseDuePolls, tellVoters } from "../domain/actions/vote.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { unindexIfGone } from "../domain/search/index-tweet.ts";
import { measureSite } from "../domain/site/growth.ts";
import { sealTweets } from "../domain/search/seal-tweets.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { reconcileEdit } from "../domain/actions/reconcile-edit.ts";
import { acceptRequests, reconcileProtection } from "../domain/actions/reconcile-protection.ts";
import { reconcileRetweet } from "../domain/actions/retweet.ts";
import { reconcileHeader } from "../domain/pictures/header.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";

/** Milliseconds between two looks for drafts to send and polls to end. */
const dueEvery = 10_000;
/** Milliseconds; the chore works once a day, but at the end of a day there may be no worker. */
const measuredEvery = 10 * 60_000;

export type Workers = ReturnType<typeof startWorkers>;

/** Runs promised work until closed. `ctx.redis` does the work, `connection` takes the jobs: both of the worker profile. */
export function startWorkers(ctx: Ctx, connection: RedisClient) {
  const clock = redisClock(ctx.redis);
  const letters = watchDeadLetters(ctx, connection);
  // A connection may fail tens of thousands of times a second.
  const onError = (error: Error) => sayRarely(ctx.log, "error", { err: error }, "worker");
  const open = <Name extends QueueName>(
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
    open("chores", 8, (job, alive) => runChore(ctx, job.name, job.data, alive)),
    // Long and not urgent: two at once leave Redis to users.
    open("accounts", 2, ({ data: work }, alive) =>
      work.task === "import"
        ? continueImport(ctx, work.user, alive)
        : eraseAccount(ctx, work, alive),
    ),
    // Each is a connection to the mail server.
    open("mails", 2, (job) => deliverMail(ctx, job.data, isLastAttempt(job))),
    // Each keeps a core busy. Their users wait, also after an outage.
    open("pictures", 2, (job) => prepareUpload(ctx, job.data), { longestWait: 4000 }),
    // They wait for push services most of the time.
    open("pushes", 16, (job) => deliverPush(ctx, job.data, isLastAttempt(job))),
    // They wait for other sites, which may be slow on purpose.
    open("fetches", 4, (job) => runFetch(ctx, job.data, isLastAttempt(job))),
  ];
  const attempt = (what: string, work: () => Promise<void>) => () => {
    work().catch((error: unknown) => sayRarely(ctx.log, "warn", { err: error }, what));
  };
  const resume = attempt("indexing", () => resumeIndexing(ctx));
  resume();
  connection.on("ready", resume);
  const measure = attempt("measuring", async () => {
    await ctx.jobs.chore("measure-site", {});
    await ctx.jobs.chore("find-old-tweets", {}, "tomorrow");
    await ctx.jobs.chore("seal-tweets", {}, "inAnHour");
    if (hasMail(ctx)) await ctx.jobs.chore("send-digests", {});
  });
  const measuring = setInterval(measure, measuredEvery);
  const promiseDue = attempt("what is due", async () => {
    await Promise.all([promiseDueDrafts(ctx), promiseDuePolls(ctx)]);
  });
  const promising = setInterval(promiseDue, dueEvery);
  return {
    /**
     * Takes no new jobs, and finishes the running ones, or puts them back into their queues. Gives up at once while Redis
     * is away.
     */
    async close() {
      letters.close();
      connection.off("ready", resume);
      clearInterval(measuring);
      clearInterval(promising);
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

type RunChore<Data> = (ctx: Ctx, data: Data, alive: () => void) => Promise<void>;

/** No verb promises an alert by name, see alerts.ts. */
interface ChoresAndAlerts extends Chores {
  [alertName]: DeadLetter;
  [reportName]: ReportNotice;
}

const chores: { [Name in keyof ChoresAndAlerts]: RunChore<ChoresAndAlerts[Name]> } = {
  [alertName]: sendAlert,
  [reportName]: sendReportAlert,
  "reconcile-follow": reconcileFollow,
  "reconcile-request": reconcileRequest,
  "accept-requests": acceptRequests,
  "reconcile-protection": reconcileProtection,
  "reconcile-block": reconcileBlock,
  "reconcile-like": reconcileLike,
  "reconcile-retweet": reconcileRetweet,
  "reconcile-deletion": (ctx, { tweet }) => reconcileDeletion(ctx, tweet),
  "reconcile-avatar": (ctx, { user }) => reconcileAvatar(ctx, user),
  "reconcile-sign-up": async (ctx, { user }) => {
    await reconcileSignUp(ctx, user);
    await indexPerson(ctx, user);
  },
  "index-person": (ctx, { user }) => indexPerson(ctx, user),
  "reconcile-mail": reconcileAddress,
  "reconcile-upload": reconcileUpload,
  "reconcile-header": reconcileHeader,
  "count-storage": countStorage,
  "reconcile-edit": reconcileEdit,
  "notify-watchers": notifyWatchers,
  "unindex-tweet": unindexIfGone,
  "index-older": (ctx) => indexOlder(ctx),
  "seal-tweets": (ctx, _, alive) => sealTweets(ctx, { alive }),
  "delete-old-tweets": deleteOldTweets,
  "find-old-tweets": (ctx, _, alive) => findOldTweets(ctx, alive),
  "send-digests": (ctx) => promiseDigests(ctx),
  "send-drafts": (ctx, _, alive) => sendDueDrafts(ctx, alive),
  "end-polls": (ctx, _, alive) => endDuePolls(ctx, alive),
  "tell-voters": tellVoters,
  "measure-site": (ctx, _, alive) => measureSite(ctx, alive),
};

/** The name of a chore. Chores that were promised before an upgrade have "settle-" where it is "reconcile-" now. */
export function choreName(stored: string): string {
  return stored.replace(/^settle-/, "reconcile-");
}

/** Throws for an unknown name, as after a downgrade: the job is kept and can be replayed. */
export async function runChore(
  ctx: Ctx,
  stored: string,
  data: JobData["chores"],
  alive: () => void = () => {},
): Promise<void> {
  const name = choreName(stored);
  if (!Object.hasOwn(chores, name)) throw new Error(`unknown chore ${stored}`);
  const run = chores[name as keyof Chores] as RunChore<JobData["chores"]>;
  await run(ctx, data, alive);
}
