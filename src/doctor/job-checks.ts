import type { Job, Queue } from "bullmq";
import type { Queues } from "../jobs/queue.ts";
import type { Exam } from "./exam.ts";

/** Max jobs of each state that are checked; the queue's own page counts all. */
const jobsChecked = 1000;
/** Milliseconds; longer than any delay. */
const longestDelay = 2 * 60 * 60 * 1000;
/** Milliseconds until another worker has taken over a job whose worker was killed. */
const takeoverMilliseconds = 60_000;

/** Dead letters, jobs without a worker, and jobs that are due too late. */
export async function checkJobs(exam: Exam, queues: Queues): Promise<void> {
  for (const queue of queues.all()) {
    for (const job of await jobsOf(queue, "failed")) suspectFailed(exam, queue, job);
    for (const job of await jobsOf(queue, "active")) await checkActive(exam, queue, job);
    for (const job of await jobsOf(queue, "delayed"))
      if (isTooLate(exam, job)) suspectDelayed(exam, queue, job);
  }
}

async function jobsOf(queue: Queue, state: "failed" | "active" | "delayed"): Promise<Job[]> {
  const jobs = (await queue.getJobs([state], 0, jobsChecked - 1)) as (Job | undefined)[];
  return jobs.filter((job) => job !== undefined);
}

function suspectFailed(exam: Exam, queue: Queue, job: Job): void {
  exam.suspect({
    kind: "job-failed",
    key: queue.toKey(job.id ?? ""),
    async look() {
      const [now, state] = await Promise.all([queue.getJob(job.id ?? ""), job.getState()]);
      return now !== undefined && state === "failed"
        ? `${job.name} failed for good: ${job.failedReason.slice(0, 200)}`
        : undefined;
    },
    repair: "run it again",
    mend: () => job.retry("failed"),
  });
}

async function checkActive(exam: Exam, queue: Queue, job: Job): Promise<void> {
  const { redis } = exam.ctx;
  const lock = `${queue.toKey(job.id ?? "")}:lock`;
  const hasWorker = async () => (await redis.exists(lock)) === 1;
  const isOld =
    Date.now() - (job.processedOn ?? 0) > Math.min(takeoverMilliseconds, exam.options.minAge);
  if (!isOld || (await hasWorker())) return;
  exam.suspect({
    kind: "job-abandoned",
    key: queue.toKey(job.id ?? ""),
    look: async () =>
      (await job.getState()) === "active" && !(await hasWorker())
        ? "runs without a worker; the next worker that starts takes it up"
        : undefined,
    repair: "",
  });
}

function isTooLate(exam: Exam, { delay, timestamp }: Job): boolean {
  return timestamp + delay > exam.ctx.now() + longestDelay;
}

function suspectDelayed(exam: Exam, queue: Queue, job: Job): void {
  exam.suspect({
    kind: "job-delayed",
    key: queue.toKey(job.id ?? ""),
    async look() {
      const [now, state] = await Promise.all([queue.getJob(job.id ?? ""), job.getState()]);
      if (now === undefined || state !== "delayed" || !isTooLate(exam, now)) return undefined;
      return `is due on ${new Date(now.timestamp + now.delay).toISOString()}`;
    },
    repair: "run it now",
    mend: () => job.promote(),
  });
}
