import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import {
  changeSubscription,
  endSubscription,
  subscribe,
} from "../../../domain/push/subscriptions.ts";
import { readForm } from "../../layout/form.ts";
import { endPushForm, pushChoiceForm, pushForm } from "./form.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { findPushByHandle, presentPush } from "./view.ts";

/** Pushes to browsers and apps of the viewer. A subscription belongs to a session, and ends with it. */
export function pushSettings(ctx: Ctx): Router {
  const router = Router();
  const limited = limitVerb(ctx, "push");

  formPage(
    router,
    pushForm.action,
    async (req, res, problems) => {
      const view = await presentPush(ctx, requireReader(res), req.sessionID, problems);
      res.render("settings/push", view);
    },
    limited,
    async (req, res) => {
      const viewer = requireViewer(res);
      const input = readForm(pushForm, req.body);
      const device = (req.get("user-agent") ?? "").slice(0, 200);
      const holder = { by: "browser", id: req.sessionID, device } as const;
      await subscribe(ctx, viewer, holder, { ...input, standard: true });
      res.redirect(303, pushForm.action);
    },
  );

  router.post(pushChoiceForm.action, limited, async (req, res) => {
    const choice = readForm(pushChoiceForm, req.body);
    await changeSubscription(ctx, requireViewer(res), req.sessionID, choice);
    res.redirect(303, pushForm.action);
  });

  router.post(endPushForm.action, async (req, res) => {
    const viewer = requireViewer(res);
    const found = await findPushByHandle(ctx, viewer, readForm(endPushForm, req.body).device);
    if (found !== undefined) await endSubscription(ctx, viewer, found.holder.id);
    res.redirect(303, pushForm.action);
  });

  return router;
}
