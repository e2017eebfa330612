import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { recordSiteEntry } from "../../../domain/moderation/audit.ts";
import { formOf, nonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { presentMoment } from "../../layout/time.ts";
import { leadBack } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { titleOf } from "../moderation/view.ts";

const path = "/admin/queues";
const states = ["waiting", "active", "delayed", "failed"] as const;
/** Failed jobs on a page. */
const limit = 20;

/** Beside each failed job, and for all of a queue; its action is the page of the queue. */
const failedJobForm = formOf(path, {
  fields: { verb: z.enum(["retry", "drop", "retryAll"]) },
  hidden: { job: z.string().max(200).default(""), nonce },
});

/** The queues in numbers, and the jobs that failed for good; guardAdminArea refuses all but admins. */
export function queuePages(router: Router, ctx: Ctx, secret: string): void {
  const { failed } = ctx.jobs;

  router.get(path, async (_req, res) => {
    const counts = await ctx.jobs.counts();
    const names = [...new Set(counts.map(({ queue }) => queue))];
    const countOf = (name: string, wanted: string) =>
      counts.find(({ queue, state }) => queue === name && state === wanted)?.count ?? 0;
    res.render("admin/queues", {
      title: titleOf(res.locals.words, "queues.title"),
      states,
      queues: names.map((name) => ({
        name,
        href: `${path}/${name}`,
        counts: states.map((state) => countOf(name, state)),
      })),
    });
  });

  router.get(`${path}/:queue`, async (req, res) => {
    const { words } = requireReader(res);
    const { queue } = req.params;
    const { start: typed = "" } = textsOf(req.query);
    // Number of newer failed jobs.
    const start = /^\d{1,6}$/.test(typed) ? Number(typed) : 0;
    const { jobs, hasMore } = await failed.page(queue, { start, limit });
    const action = `${path}/${queue}`;
    const older = { href: `${action}?start=${start + limit}`, label: words.t("paging.older") };
    const formFor = (job: string) => showForm(words, { ...failedJobForm, action }, { job });
    res.render("admin/queue", {
      title: titleOf(words, "queues.title"),
      queue,
      above: { href: path, label: words.t("queues.title") },
      jobs: jobs.map((job) => ({
        ...job,
        name: [job.name, ...job.about].join(" · "),
        failedAt: presentMoment(words, job.failedAt * 1000),
        form: formFor(job.id),
      })),
      all: jobs.length > 0 ? formFor("") : undefined,
      older: hasMore ? older : undefined,
      newest: start > 0 ? { href: action, label: words.t("paging.newest") } : undefined,
    });
  });

  router.post(`${path}/:queue`, confirmation(ctx, secret).first(), async (req, res) => {
    const queue = String(req.params["queue"]);
    const { job: id, verb, nonce: made } = readForm(failedJobForm, req.body);
    const by = requireViewer(res).id;
    if (verb === "retryAll") {
      await failed.page(queue, { start: 0, limit: 1 });
      await recordSiteEntry(ctx, { by, nonce: made, verb: "retry", note: queue });
      await failed.retryAll(queue);
      return leadBack(res, `${path}/${queue}`, "retry");
    }
    const job = await failed.find(queue, id);
    if (job !== undefined) {
      const note = [queue, job.name, ...job.about, job.reason].join(" · ").slice(0, 500);
      await recordSiteEntry(ctx, { by, nonce: made, verb, note });
      await (verb === "retry" ? failed.retry(queue, id) : failed.remove(queue, id));
    }
    leadBack(res, `${path}/${queue}`, verb);
  });
}
