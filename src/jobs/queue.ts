import { type JobsOptions, Queue } from "bullmq";
import type {
  AccountWork,
  Chores,
  ConversionWork,
  JobCount,
  Jobs,
  MailWork,
  PushWork,
  ReportNotice,
} from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { Unavailable } from "../domain/errors.ts";
import type { TweetId } from "../domain/ids.ts";
import type { Stamp } from "../domain/stamp.ts";
import { keys } from "../redis/keys.ts";
import { type DeadLetter, promiseReportAlert } from "./alerts.ts";
import { failedJobs } from "./failed-jobs.ts";
import { redisClock } from "./redis-clock.ts";

/** Data of each queue's jobs. */
export interface JobData {
  deliver: { tweet: TweetId };
  spread: { tweet: TweetId; after: Stamp };
  chores: Chore | DeadLetter | ReportNotice;
  accounts: AccountWork;
  mails: MailWork;
  pictures: ConversionWork;
  pushes: PushWork;
}

/** The name of the job is the name of the chore. */
export type Chore = Chores[keyof Chores];

export const queuePrefix = keys.queuePrefix;

/** Delay of "later" chores: by then the request that promised them is over. */
const laterMilliseconds = 10_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const delays = { now: 0, later: laterMilliseconds, tomorrow: dayMilliseconds } as const;

/**
 * Tried again after at most 1, 2, 4 … seconds, about three minutes in all. Outages do not count, see
 * queue-worker.ts. A job that still fails is a dead letter: kept until an admin replays it, see dead-letters.ts.
 */
const retried: JobsOptions = {
  attempts: 9,
  backoff: { type: "exponential", delay: 1000, jitter: 0.5 },
  // In seconds. While the job is kept, promising the same delivery again does nothing.
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: false,
};

/** No process listens to the events of the queues, and the library keeps 10,000 of each. */
const streams = { events: { maxLen: 10 } };

/** Tried again for an hour or two: mail servers are down for a while, or ask to come back later. */
const mailOptions: JobsOptions = { attempts: 14, removeOnComplete: true };

/** Tried again for ten minutes: a push that comes later is not worth much. */
const pushOptions: JobsOptions = {
  attempts: 8,
  backoff: { type: "exponential", delay: 5000, jitter: 0.5 },
  removeOnComplete: true,
};

export interface Queues extends Jobs {
  all(): Queue[];
  close(): Promise<void>;
}

/**
 * The promises of work, stored in Redis by BullMQ. Connection errors go to `onError`. Without a connection,
 * promising throws Unavailable: BullMQ would wait for ever.
 */
export function createQueues(connection: RedisClient, onError: (error: Error) => void): Queues {
  const deliver = openQueue<JobData["deliver"]>("deliver", connection, onError);
  const spread = openQueue<JobData["spread"]>("spread", connection, onError);
  const chores = openQueue<JobData["chores"]>("chores", connection, onError);
  const accounts = openQueue<AccountWork>("accounts", connection, onError);
  const mails = openQueue<MailWork>("mails", connection, onError);
  const pictures = openQueue<ConversionWork>("pictures", connection, onError);
  const pushes = openQueue<PushWork>("pushes", connection, onError);
  const all = [deliver, spread, chores, accounts, mails, pictures, pushes];
  const clock = redisClock(connection);
  /** By the clock of Redis: that of this process may be wrong, see waitUntilDue. */
  const dueAfter = async (delay: number) =>
    delay === 0 ? {} : { delay, timestamp: Math.floor(await clock.now()) };
  return {
    async deliverTweet(tweet, how) {
      const queue = await deliver.ready();
      // A running one stays, and is enough.
      if (how === "again") await queue.remove(`tweet-${tweet}`);
      await queue.add("deliver", { tweet }, { jobId: `tweet-${tweet}` });
    },
    async spreadTweet(tweet, after) {
      const queue = await spread.ready();
      await queue.add("spread", { tweet, after }, { jobId: `tweet-${tweet}` });
    },
    async chore(name, data, when = "now") {
      const queue = await chores.ready();
      const due = await dueAfter(delays[when]);
      await queue.add(name, data, { ...due, removeOnComplete: true });
    },
    async workOnAccount(work, delay = 0) {
      const queue = await accounts.ready();
      await queue.add(work.task, work, { ...(await dueAfter(delay)), removeOnComplete: true });
    },
    async mail(mail) {
      const queue = await mails.ready();
      await queue.add(mail.kind, mail, mailOptions);
    },
    async preparePicture(work, nth) {
      const queue = await pictures.ready();
      const jobId = `upload-${work.upload}`;
      await queue.add("prepare", work, { jobId, priority: nth, removeOnComplete: true });
    },
    async push(work) {
      const queue = await pushes.ready();
      // While it waits, promising it again does nothing.
      const jobId = `${work.to}-${work.activity.replaceAll(":", "-")}`;
      await queue.add("push", work, { ...pushOptions, jobId });
    },
    async tellOfReport(report) {
      await promiseReportAlert(await chores.ready(), report);
    },
    async counts() {
      const queues = await Promise.all(all.map((one) => one.ready()));
      return (await Promise.all(queues.map(countsOf))).flat();
    },
    failed: failedJobs((name) => all.find((one) => one.current().name === name)?.ready()),
    all: () => all.map((one) => one.current()),
    async close() {
      await Promise.all(all.map((one) => one.current().close()));
    },
  };
}

async function countsOf(queue: Queue): Promise<JobCount[]> {
  const states = ["waiting", "prioritized", "active", "delayed", "failed"] as const;
  const { prioritized = 0, waiting = 0, ...others } = await queue.getJobCounts(...states);
  const counts = { waiting: waiting + prioritized, ...others };
  return Object.entries(counts).map(([state, count]) => ({ queue: queue.name, state, count }));
}

/** Opens a queue again if its first command failed: BullMQ would keep that failure for good. */
function openQueue<Data>(
  name: keyof JobData,
  connection: RedisClient,
  onError: (error: Error) => void,
) {
  const open = () => {
    const options = { connection, prefix: queuePrefix, defaultJobOptions: retried, streams };
    return new Queue<Data, void>(name, options).on("error", onError);
  };
  let queue = open();
  return {
    current: (): Queue => queue,
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
