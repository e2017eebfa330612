import type { Job, Queue } from "bullmq";
import type { Tweet } from "../domain/tweets/tweet.ts";

/** Jobs read at a time, and max jobs in all: the end of a longer queue is unknown. */
const atOnce = 1000;
const most = 200_000;

/**
 * All waiting, running and delayed jobs, each as its name and ids: "settle-follow 1 2", "deliver 7", "erase
 * 3". Damage that one of them will settle is not a finding.
 */
export async function pendingJobs(queues: Queue[]): Promise<Set<string>> {
  const pending = new Set<string>();
  for (const queue of queues)
    for (let start = 0; start < most; start += atOnce) {
      const jobs = (await queue.getJobs(
        ["waiting", "active", "delayed", "prioritized"],
        start,
        start + atOnce - 1,
        true,
      )) as (Job | undefined)[];
      for (const job of jobs) if (job !== undefined) pending.add(serializeJob(job));
      if (jobs.length === 0) break;
    }
  return pending;
}

/** The name, and the ids in the job's data in their order, without stamps. */
function serializeJob({ name, data }: Pick<Job, "name" | "data">): string {
  const { after: _, task: __, pass: ___, terms: ____, ...about } = data as Record<string, unknown>;
  return [name, ...Object.values(about).map(String)].join(" ");
}

/** Jobs about a tweet, or about a retweet's original. */
export function jobsAbout(
  id: string,
  about: Pick<Tweet, "author" | "retweetOf"> | undefined,
): string[] {
  const jobs = [`deliver ${id}`, `spread ${id}`, `settle-deletion ${id}`];
  if (about === undefined) return jobs;
  const { author, retweetOf } = about;
  jobs.push(`erase ${author}`, `import ${author}`);
  if (retweetOf !== undefined)
    jobs.push(`settle-retweet ${author} ${retweetOf.tweet}`, `settle-deletion ${retweetOf.tweet}`);
  return jobs;
}
