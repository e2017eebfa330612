import type { Job, Queue } from "bullmq";
import type { FailedJob, FailedJobs } from "../context.ts";
import { required } from "../domain/errors.ts";

/** Max jobs that are tried again by one call. */
const retriedAtOnce = 1000;
/** Ids in the data of jobs; the rest of it, as the text of a mail, is not shown. */
const shownData = new Set(["tweet", "user", "to", "upload", "subject", "task", "pass", "kind"]);

/** `open`: undefined if there is no such queue. */
export function failedJobs(open: (name: string) => Promise<Queue> | undefined): FailedJobs {
  const get = async (name: string) => required(await open(name), "queue");
  /** Undefined if the job is gone, or is not failed any more. */
  const find = async (name: string, id: string) => {
    const job = await (await get(name)).getJob(id);
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  };
  return {
    async page(name, { start, limit }) {
      const queue = await get(name);
      const jobs = await queue.getJobs("failed", start, start + limit, false);
      return { jobs: jobs.slice(0, limit).map(toFailedJob), hasMore: jobs.length > limit };
    },
    async find(name, id) {
      const job = await find(name, id);
      return job && toFailedJob(job);
    },
    async retry(name, id) {
      const job = await find(name, id);
      if (job !== undefined) await retryFailed(job);
    },
    async retryAll(name) {
      const jobs = await (await get(name)).getFailed(0, retriedAtOnce - 1);
      await Promise.all(jobs.map(retryFailed));
    },
    async remove(name, id) {
      const job = await find(name, id);
      // Another admin may have tried it again just now: it runs.
      await job?.remove().catch(() => {});
    },
  };
}

/** With all of its attempts. Another process may have been faster. */
export async function retryFailed(job: Job): Promise<void> {
  await job.retry("failed", { resetAttemptsMade: true }).catch(() => {});
}

function toFailedJob(job: Job): FailedJob {
  const { id = "", name, attemptsMade: attempts, failedReason, finishedOn: failedAt = 0 } = job;
  const facts = Object.entries((job.data ?? {}) as Record<string, unknown>);
  const about = facts
    .filter(([key]) => shownData.has(key))
    .map(([key, value]) => `${key} ${String(value)}`);
  return { id, name, about, attempts, reason: failedReason ?? "", failedAt };
}
