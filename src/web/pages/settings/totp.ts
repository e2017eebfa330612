import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { promiseNotice } from "../../../domain/accounts/mails.ts";
import type { Problems } from "../../../domain/problems.ts";
import {
  findTotpSetup,
  startTotp,
  totpSeal,
  turnOffTotp,
  turnOnTotp,
} from "../../../domain/factors/totp.ts";
import { totpForm } from "../../forms/factors.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { confirmation } from "../../middleware/confirmation.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { onRefusal } from "../../middleware/refusals.ts";
import { requireViewer } from "../../middleware/session.ts";
import { presentQr } from "../../present/qr.ts";
import { settingsFrame } from "../../present/settings.ts";
import { securityPath, showSecurity } from "./security.ts";

/** Turns the authenticator app of the signed-in user on and off. */
export function totpSettings(ctx: Ctx, secret: string): Router {
  const router = Router();
  const seal = totpSeal(secret);
  const confirmed = confirmation(ctx, secret).first();
  const { action } = totpForm;
  const showStatus = onRefusal((req, res, problems) => showSecurity(ctx, req, res, {}, problems));

  router.post(
    `${action}/start`,
    confirmed,
    showStatus,
    limitAct(ctx, "factors"),
    async (_req, res) => {
      await startTotp(ctx, seal, requireViewer(res).id);
      res.redirect(303, action);
    },
  );
  router.get(action, confirmed, (req, res) => showSetup(req, res));
  router.post(
    action,
    confirmed,
    onRefusal((req, res, problems) => showSetup(req, res, problems)),
    limitAct(ctx, "factors"),
    async (req, res) => {
      const { code } = readForm(totpForm, req.body);
      const { id: user } = requireViewer(res);
      await turnOnTotp(ctx, seal, user, code);
      await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
      res.redirect(303, `${securityPath}?on`);
    },
  );
  router.post(`${action}/remove`, confirmed, showStatus, async (_req, res) => {
    const { id: user } = requireViewer(res);
    await turnOffTotp(ctx, user);
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    res.redirect(303, `${securityPath}?off`);
  });
  return router;

  /** Without a key, shows the page from which to start. */
  async function showSetup(req: Request, res: Response, problems: Problems = {}): Promise<void> {
    const { viewer, words } = requireReader(res);
    const setup = await findTotpSetup(ctx, seal, viewer, res.locals.site.name);
    if (setup === undefined) {
      await showSecurity(ctx, req, res, {}, problems);
      return;
    }
    res.render("settings/totp", {
      ...settingsFrame(words, securityPath, "security.totp"),
      form: showForm(words, totpForm, {}, problems),
      qr: presentQr(setup.uri),
      // In groups of four, as apps ask for it.
      secret: setup.secret.replaceAll(/.{4}(?=.)/g, "$& "),
    });
  }
}
