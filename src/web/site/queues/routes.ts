import { type Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { recordSiteEntry } from "../../../domain/moderation/audit.ts";
import { readForm, textsOf } from "../../layout/form.ts";
import { failedJobForm } from "../moderation/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { leadBack } from "../../request/admin-area.ts";
import { requireReader } from "../../request/language.ts";
import { requireViewer } from "../../request/session.ts";
import { presentFailedJobs, presentQueues } from "./view.ts";

const path = failedJobForm.action;
/** Failed jobs on a page. */
const limit = 20;

/** The queues in numbers, and the jobs that failed for good; guardAdminArea refuses all but admins. */
export function queuePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const { failed } = ctx.jobs;

  router.get(path, async (_req, res) => {
    res.render("admin/queues", presentQueues(res.locals.words, await ctx.jobs.counts()));
  });

  router.get(`${path}/:queue`, async (req, res) => {
    const { words } = requireReader(res);
    const queue = queueOf(req);
    const { start: typed = "" } = textsOf(req.query);
    const start = /^\d{1,6}$/.test(typed) ? Number(typed) : 0;
    const page = await failed.page(queue, { start, limit });
    res.render("admin/queue", presentFailedJobs(words, { queue, start, limit }, page));
  });

  router.post(`${path}/:queue`, confirmation(ctx, secret).first(), async (req, res) => {
    const queue = queueOf(req);
    const { job: id, verb, nonce } = readForm(failedJobForm, req.body);
    const by = requireViewer(res).id;
    if (verb === "retryAll") {
      await failed.page(queue, { start: 0, limit: 1 });
      await recordSiteEntry(ctx, { by, nonce, verb: "retry", note: queue });
      await failed.retryAll(queue);
      return leadBack(res, `${path}/${queue}`, "retry");
    }
    const job = await failed.find(queue, id);
    if (job !== undefined) {
      const note = [queue, job.name, ...job.about, job.reason].join(" · ").slice(0, 500);
      await recordSiteEntry(ctx, { by, nonce, verb, note });
      await (verb === "retry" ? failed.retry(queue, id) : failed.remove(queue, id));
    }
    leadBack(res, `${path}/${queue}`, verb);
  });

  return router;
}

function queueOf(req: Request): string {
  return String(req.params["queue"]);
}
