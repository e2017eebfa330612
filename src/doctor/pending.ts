import type { Job, Queue } from "bullmq";
import type { Tweet } from "../domain/tweets/tweet.ts";

/** Jobs read at a time, and in all: a longer queue is not known to its end. */
const atOnce = 1000;
const most = 200_000;

/**
 * The jobs that wait, run or will run later, each as its name and what it is about:
 * "settle-follow 1 2", "deliver 7", "erase 3". What one of them will settle is no finding.
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

/** Its name, and the ids in what it carries in their order, but for stamps. */
function serializeJob({ name, data }: Pick<Job, "name" | "data">): string {
  const { after: _, task: __, pass: ___, terms: ____, ...about } = data as Record<string, unknown>;
  return [name, ...Object.values(about).map(String)].join(" ");
}

/** Jobs that are about a tweet, or about the original of a retweet. */
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
