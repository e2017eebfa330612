import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { confirmForm } from "../forms/factors.ts";
import { readForm, textsOf } from "../forms/form.ts";
import { safePath } from "../forms/safe-redirect.ts";
import { askToConfirm, confirmation } from "../middleware/confirmation.ts";
import { formPage } from "../middleware/refusals.ts";
import { isConfirmed, requireViewer } from "../middleware/session.ts";

/**
 * Asks signed-in users who they are, and leads on to `next`. With `again` in the query, a log-in just now is not
 * enough.
 */
export function provePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const { check } = confirmation(ctx, secret);
  const { action } = confirmForm;

  formPage(
    router,
    action,
    async (req, res, problems) => {
      requireViewer(res);
      const isDone = isConfirmed(ctx, req, "again" in req.query ? "again" : undefined);
      if (req.method !== "POST" && isDone) res.redirect(303, safePath(textsOf(req.query)["next"]));
      else await askToConfirm(ctx, req, res, { action, problems });
    },
    async (req, res) => {
      await check(req, res);
      res.redirect(303, readForm(confirmForm, req.body).next);
    },
  );
  return router;
}
