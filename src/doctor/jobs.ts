import type { Job, Queue } from "bullmq";
import { choreName } from "../jobs/workers.ts";
import type { Queues } from "../jobs/queue.ts";
import { eachTarget, type Run, type Target } from "./run.ts";
import type { TweetFacts } from "./facts.ts";

/** Max jobs of each state that are checked; the queue's own page counts all. */
const jobsChecked = 1000;
/** Milliseconds; longer than any delay: unused uploads are deleted after a day. */
const longestDelay = 26 * 60 * 60 * 1000;
/** Milliseconds until another worker has taken over a job whose worker was killed. */
const takeoverMilliseconds = 60_000;

/** Dead letters, jobs without a worker, and jobs that are due too late. */
const jobCheck = eachTarget({
  read: async ({ ctx }, queued: Target & { queue: Queue; job: Job }) => {
    const job = (await queued.queue.getJob(queued.job.id ?? "")) as Job | undefined;
    if (job === undefined) return undefined;
    const hasWorker = (await ctx.redis.exists(`${queued.key}:lock`)) === 1;
    return { ...queued, job, state: await job.getState(), hasWorker };
  },
  faults: {
    "job-failed": {
      detail: ({ job, state }) =>
        state === "failed" && `${job.name} failed for good: ${job.failedReason.slice(0, 200)}`,
      how: "run it again",
      repair: (_, { job }) => job.retry("failed"),
    },
    "job-abandoned"({ job, state, hasWorker }, { options }) {
      const age = Date.now() - (job.processedOn ?? 0);
      const isOld = age > Math.min(takeoverMilliseconds, options.minAge);
      return (
        state === "active" &&
        isOld &&
        !hasWorker &&
        "runs without a worker; the next worker that starts takes it up"
      );
    },
    "job-delayed": {
      detail({ job: { timestamp, delay }, state }, { ctx }) {
        const due = timestamp + delay;
        const isTooLate = state === "delayed" && due > ctx.now() + longestDelay;
        return isTooLate && `is due on ${new Date(due).toISOString()}`;
      },
      how: "run it now",
      repair: (_, { job }) => job.promote(),
    },
  },
});

export async function checkJobs(run: Run, queues: Queues): Promise<void> {
  for (const queue of queues.all())
    for (const state of ["failed", "active", "delayed"] as const) {
      const jobs = await queue.getJobs([state], 0, jobsChecked - 1);
      const targets = jobs.flatMap((job?: Job) =>
        job ? { key: queue.toKey(job.id ?? ""), queue, job } : [],
      );
      await run.look(jobCheck, targets);
    }
}

/** Jobs read at a time, and max jobs in all: the end of a longer queue is unknown. */
const pendingAtOnce = 1000;
const mostPending = 200_000;
const pendingStates = ["waiting", "active", "delayed", "prioritized"] as const;

/**
 * All waiting, running and delayed jobs, each as its name and ids: "reconcile-follow 1 2", "deliver 7", "erase
 * 3". Damage that one of them will settle is not a finding.
 */
export async function pendingJobs(queues: Queue[]): Promise<Set<string>> {
  const pending = new Set<string>();
  for (const queue of queues)
    for (let start = 0; start < mostPending; start += pendingAtOnce) {
      const end = start + pendingAtOnce - 1;
      const jobs = await queue.getJobs([...pendingStates], start, end, true);
      for (const job of jobs as (Job | undefined)[]) if (job) pending.add(serializeJob(job));
      if (jobs.length === 0) break;
    }
  return pending;
}

/** Fields of a job's data that do not tell what it concerns. */
const notAbout = new Set(["after", "task", "pass", "terms", "at", "called"]);

/** The name, and the ids in the job's data in their order, without stamps. */
function serializeJob({ name, data }: Pick<Job, "name" | "data">): string {
  const about = Object.entries(data as Record<string, unknown>).flatMap(([field, value]) =>
    notAbout.has(field) ? [] : [String(value)],
  );
  return [choreName(name), ...about].join(" ");
}

/** Jobs about a tweet, or about a retweet's original. */
export function jobsAbout(
  id: string,
  { author, retweetOf }: Partial<Pick<TweetFacts, "author" | "retweetOf">> = {},
): string[] {
  const jobs = [`deliver ${id}`, `spread ${id}`, `reconcile-deletion ${id}`];
  if (author !== undefined)
    jobs.push(`erase ${author}`, `import ${author}`, `reconcile-edit ${id} ${author}`);
  if (retweetOf !== undefined)
    jobs.push(
      `reconcile-retweet ${author} ${retweetOf.tweet}`,
      `reconcile-deletion ${retweetOf.tweet}`,
    );
  return jobs;
}
