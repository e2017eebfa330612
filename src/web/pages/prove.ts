import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { confirmForm } from "../forms/factors.ts";
import { readForm, textsOf } from "../forms/form.ts";
import { safePath } from "../forms/safe-redirect.ts";
import { askToConfirm, confirmation } from "../middleware/confirmation.ts";
import { onRefusal } from "../middleware/errors.ts";
import { isConfirmed, requireViewer } from "../middleware/session.ts";

/**
 * Asks signed-in users who they are, and leads on to `next`. With `again` in the query, a log-in just now is not
 * enough.
 */
export function provePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const { check } = confirmation(ctx, secret);
  const { action } = confirmForm;

  router.get(action, async (req, res) => {
    requireViewer(res);
    const isDone = isConfirmed(ctx, req, "again" in req.query ? "again" : undefined);
    if (isDone) res.redirect(303, safePath(textsOf(req.query)["next"]));
    else await askToConfirm(ctx, req, res, { action });
  });
  router.post(
    action,
    onRefusal((req, res, problems) => askToConfirm(ctx, req, res, { action, problems })),
    async (req, res) => {
      requireViewer(res);
      await check(req, res);
      res.redirect(303, readForm(confirmForm, req.body).next);
    },
  );
  return router;
}
