import { type Job, type JobsOptions, Queue } from "bullmq";
import type {
  AccountWork,
  Chores,
  ConversionWork,
  FetchWork,
  JobCount,
  Jobs,
  MailWork,
  PushWork,
  ReportNotice,
} from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { Unavailable } from "../domain/errors.ts";
import type { TweetId, Stamp } from "../domain/ids.ts";
import { currentScope } from "../domain/scope.ts";
import { keys } from "../redis/keys.ts";
import { type DeadLetter, promiseReportAlert } from "./alerts.ts";
import { failedJobs } from "./failed-jobs.ts";
import { redisClock } from "../redis/clocks.ts";

/** Data of each queue's jobs. */
export interface JobData {
  deliver: { tweet: TweetId };
  spread: { tweet: TweetId; after: Stamp };
  chores: Chore | DeadLetter | ReportNotice;
  accounts: AccountWork;
  mails: MailWork;
  pictures: ConversionWork;
  pushes: PushWork;
  fetches: FetchWork;
}

export type QueueName = keyof JobData;

/** The name of the job is the name of the chore. */
export type Chore = Chores[keyof Chores];

export const queuePrefix = keys.queuePrefix;

/** In milliseconds. "Later": by then the request that promised the chore is over. */
const hour = 60 * 60 * 1000;
const delays = { now: 0, later: 10_000, inAnHour: hour, tomorrow: 24 * hour } as const;
/** Chores that work on the whole site. */
const common: ReadonlySet<keyof Chores> = new Set([
  "seal-tweets",
  "measure-site",
  "find-old-tweets",
  "send-digests",
  "send-drafts",
  "end-polls",
]);
/** Chores that are due at a minute: they go before others, unless they are tried again. */
const timed: ReadonlySet<keyof Chores> = new Set(["send-drafts", "end-polls"]);

/** In milliseconds; doubled with each attempt. */
const growing = (delay: number) => ({ type: "exponential", delay, jitter: 0.5 });

/**
 * Tried again after at most 1, 2, 4 … seconds, about three minutes in all. Outages do not count, see
 * queue-worker.ts. A job that still fails is a dead letter: kept until an admin replays it, see dead-letters.ts.
 */
const retried: JobsOptions = {
  attempts: 9,
  backoff: growing(1000),
  removeOnComplete: true,
  removeOnFail: false,
};

/** Finished deliveries that stay: seconds, and number. While one stays, promising it again does nothing. */
const keptJobs: JobsOptions = { removeOnComplete: { age: 3600, count: 100 } };

/** No process listens to the events of the queues, and the library keeps 10,000 of each. */
const streams = { events: { maxLen: 10 } };

/** What jobs of each queue have in the place of that. */
const ownOptions: Record<QueueName, JobsOptions> = {
  deliver: keptJobs,
  spread: keptJobs,
  chores: {},
  accounts: {},
  /** Tried again for an hour or two: mail servers are down for a while, or ask to come back later. */
  mails: { attempts: 14 },
  pictures: {},
  /** Tried again for ten minutes: a push that comes later is not worth much. */
  pushes: { attempts: 8, backoff: growing(5000) },
  /** Tried again for some minutes: a hub that is away hears of the next tweet. */
  fetches: { attempts: 6, backoff: growing(5000) },
};
export const queueNames = Object.keys(ownOptions) as QueueName[];

export interface Queues extends Jobs {
  all(): Queue[];
  close(): Promise<void>;
}

/**
 * The promises of work, stored in Redis by BullMQ. Connection errors go to `onError`. Without a connection,
 * promising throws Unavailable: BullMQ would wait for ever.
 */
export function createQueues(connection: RedisClient, onError: (error: Error) => void): Queues {
  const entries = queueNames.map((name) => [name, openQueue(name, connection, onError)] as const);
  const queues = Object.fromEntries(entries) as Record<QueueName, ReturnType<typeof openQueue>>;
  const all = Object.values(queues);
  const clock = redisClock(connection);
  /** `delay` is counted by the clock of Redis: that of this process may be wrong, see waitUntilDue. */
  const add = async <Name extends QueueName>(
    name: Name,
    job: string,
    data: JobData[Name],
    options: JobsOptions = {},
    delay = 0,
  ) => {
    const queue = await queues[name].ready();
    const due = delay === 0 ? {} : { delay, timestamp: Math.floor(await clock.now()) };
    // What the library has for this. A job that a job promises has the id as well.
    const metadata = currentScope.getStore()?.request;
    const promisedBy = metadata === undefined ? {} : { telemetry: { metadata } };
    await queue.add(job, data, { ...due, ...promisedBy, ...options });
  };
  return {
    async deliverTweet(tweet, how) {
      const jobId = `tweet-${tweet}`;
      // A running one stays, and is enough.
      if (how === "again")
        for (const name of ["deliver", "spread"] as const)
          await (await queues[name].ready()).remove(jobId);
      await add("deliver", "deliver", { tweet }, { jobId });
    },
    spreadTweet: (tweet, after) =>
      add("spread", "spread", { tweet, after }, { jobId: `tweet-${tweet}` }),
    async chore(name, data, when = "now") {
      if (!common.has(name)) return await add("chores", name, data, {}, delays[when]);
      const jobId = `${name}-${when}`;
      // One that has failed makes room; one that runs stays.
      const former = await (await queues.chores.ready()).getJob(jobId);
      if ((await former?.isFailed()) === true) await former?.remove();
      await add("chores", name, data, { jobId, lifo: timed.has(name) }, delays[when]);
    },
    async workOnAccount(work, delay = 0) {
      // Another late look at an import, promised this shortly before, has not begun and is enough.
      const isLook = work.task === "import" && delay > 0;
      const deduplication = { id: `import-${work.user}`, ttl: delay / 2 };
      await add("accounts", work.task, work, isLook ? { deduplication } : {}, delay);
    },
    async mail(mail) {
      const once = mail.kind === "digest" ? { jobId: `digest-${mail.user}-${mail.due}` } : {};
      await add("mails", mail.kind, mail, once);
    },
    preparePicture: (work, priority) =>
      add("pictures", "prepare", work, { jobId: `upload-${work.upload}`, priority }),
    visit: (work) => add("fetches", work.kind, work),
    async push(work) {
      // While it waits, promising it again does nothing.
      const jobId = `${work.to}-${work.activity.replaceAll(":", "-")}`;
      await add("pushes", "push", work, { jobId });
    },
    async tellOfReport(report) {
      await promiseReportAlert(await queues.chores.ready(), report);
    },
    async counts() {
      const counts = await Promise.all(all.map(async (one) => countsOf(await one.ready())));
      return counts.flat();
    },
    waitingSince: () => Promise.all(all.map(async (one) => waitingIn(await one.ready()))),
    failed: failedJobs((name) => all.find((one) => one.current().name === name)?.ready()),
    all: () => all.map((one) => one.current()),
    close: async () => void (await Promise.all(all.map((one) => one.current().close()))),
  };
}

async function countsOf(queue: Queue): Promise<JobCount[]> {
  const states = ["waiting", "prioritized", "active", "delayed", "failed"] as const;
  const { prioritized = 0, waiting = 0, ...others } = await queue.getJobCounts(...states);
  const counts = { waiting: waiting + prioritized, ...others };
  return Object.entries(counts).map(([state, count]) => ({ queue: queue.name, state, count }));
}

/** Pictures take turns: there it is the job whose turn is next. */
async function waitingIn(queue: Queue) {
  const jobs = await queue.getJobs(["waiting", "prioritized"], 0, 0, true);
  // A job that is taken meanwhile may be undefined.
  const times = jobs.flatMap((job?: Job) => (job ? job.timestamp + (job.opts.delay ?? 0) : []));
  return { queue: queue.name, since: times.length === 0 ? undefined : Math.min(...times) };
}

/** Opens a queue again if its first command failed: BullMQ would keep that failure for good. */
function openQueue(name: QueueName, connection: RedisClient, onError: (error: Error) => void) {
  const open = () => {
    const defaultJobOptions = { ...retried, ...ownOptions[name] };
    const options = { connection, prefix: queuePrefix, defaultJobOptions, streams };
    return new Queue(name, options).on("error", onError);
  };
  let queue = open();
  return {
    current: () => queue,
    /** Throws Unavailable without a connection. */
    async ready() {
      const tried = queue;
      requireReady(connection);
      const failed = await tried.waitUntilReady().then(
        () => false,
        () => true,
      );
      requireReady(connection);
      if (failed && queue === tried) queue = open();
      return queue;
    },
  };
}

function requireReady(connection: RedisClient): void {
  if (connection.status !== "ready") throw new Unavailable("the job queue");
}
