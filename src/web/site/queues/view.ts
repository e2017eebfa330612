import type { FailedJob, JobCount } from "../../../context.ts";
import { failedJobForm, freshAct } from "../moderation/form.ts";
import { showForm } from "../../layout/form.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import { titleOf } from "../moderation/view.ts";
import { presentMoment } from "../../layout/time.ts";

const states = ["waiting", "active", "delayed", "failed"] as const;

/** What pages call the queues of src/jobs/queue.ts. */
const labels: Readonly<Record<string, Key>> = {
  deliver: "queues.deliver",
  spread: "queues.spread",
  chores: "queues.chores",
  accounts: "queues.accounts",
  mails: "queues.mails",
  pictures: "queues.pictures",
  pushes: "queues.pushes",
};

/** The jobs of each queue by state; failed ones lead to their page. */
export function presentQueues(words: Translator, counts: JobCount[]) {
  const names = [...new Set(counts.map(({ queue }) => queue))];
  const countOf = (name: string, wanted: string) =>
    counts.find(({ queue, state }) => queue === name && state === wanted)?.count ?? 0;
  return {
    title: titleOf(words, "queues.title"),
    columns: states.map((state) => words.t(`queues.${state}`)),
    queues: names.map((name) => ({
      name: nameOf(words, name),
      href: `${failedJobForm.action}/${name}`,
      counts: states.map((state) => words.number(countOf(name, state))),
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
    showForm(words, { ...failedJobForm, action }, { ...freshAct(), job });
  return {
    title: titleOf(words, "queues.title"),
    heading: words.t("queues.failedIn", { queue: nameOf(words, queue) }),
    above: { href: failedJobForm.action, label: words.t("queues.title") },
    jobs: jobs.map((job) => ({
      name: [job.name, ...job.about].join(" · "),
      id: job.id,
      reason: job.reason,
      attempts: words.t("queues.attempts", words.counted(job.attempts)),
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

function nameOf(words: Translator, queue: string): string {
  const key = labels[queue];
  return key === undefined ? queue : words.t(key);
}
