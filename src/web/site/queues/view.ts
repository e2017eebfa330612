import type { FailedJob, JobCount } from "../../../context.ts";
import { failedJobForm } from "../moderation/form.ts";
import { freshNonce, showForm } from "../../layout/form.ts";
import type { Translator } from "../../languages/translator.ts";
import { titleOf } from "../moderation/view.ts";
import { presentMoment } from "../../layout/time.ts";

const states = ["waiting", "active", "delayed", "failed"] as const;

/** The jobs of each queue by state; failed ones lead to their page. */
export function presentQueues(words: Translator, counts: JobCount[]) {
  const names = [...new Set(counts.map(({ queue }) => queue))];
  const countOf = (name: string, wanted: string) =>
    counts.find(({ queue, state }) => queue === name && state === wanted)?.count ?? 0;
  return {
    title: titleOf(words, "queues.title"),
    states,
    queues: names.map((name) => ({
      name,
      href: `${failedJobForm.action}/${name}`,
      counts: states.map((state) => countOf(name, state)),
    })),
  };
}

/** The failed jobs of a queue, with a form beside each. `start`: number of newer ones. */
export function presentFailedJobs(
  words: Translator,
  { queue, start, limit }: { queue: string; start: number; limit: number },
  { jobs, hasMore }: { jobs: FailedJob[]; hasMore: boolean },
) {
  const action = `${failedJobForm.action}/${queue}`;
  const formFor = (job: string) =>
    showForm(words, { ...failedJobForm, action }, { ...freshNonce(), job });
  return {
    title: titleOf(words, "queues.title"),
    queue,
    above: { href: failedJobForm.action, label: words.t("queues.title") },
    jobs: jobs.map((job) => ({
      name: [job.name, ...job.about].join(" · "),
      id: job.id,
      reason: job.reason,
      attempts: job.attempts,
      failedAt: presentMoment(words, job.failedAt * 1000),
      form: formFor(job.id),
    })),
    all: jobs.length > 0 ? formFor("") : undefined,
    older: hasMore
      ? { href: `${action}?start=${start + limit}`, label: words.t("paging.older") }
      : undefined,
    newest: start > 0 ? { href: action, label: words.t("paging.newest") } : undefined,
    emptyMessage: jobs.length === 0 ? words.t("queues.none") : undefined,
  };
}
