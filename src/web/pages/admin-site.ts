import { Router } from "express";
import type { Ctx } from "../../context.ts";
import {
  acceptApplicant,
  applicationsPage,
  refuseApplicant,
} from "../../domain/community/applications.ts";
import { recordSiteChange } from "../../domain/moderation/audit.ts";
import { pageSize } from "../../domain/page.ts";
import { writeSite } from "../../domain/site/settings.ts";
import type { User } from "../../domain/users/store.ts";
import { readForm } from "../forms/form.ts";
import { decideForm } from "../forms/joining.ts";
import { siteForm } from "../forms/site.ts";
import { confirmation } from "../middleware/confirmation.ts";
import { mayDo } from "../middleware/desk.ts";
import { requireReader } from "../middleware/language.ts";
import { formPage } from "../middleware/refusals.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentApplications } from "../present/joining.ts";
import { presentSite } from "../present/site.ts";

/** What admins decide about the site, and who may join; adminPages refuses other users. */
export function sitePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const mayDecide = (viewer: User) => mayDo(ctx, viewer, "POST", decideForm.action);
  formPage(
    router,
    siteForm.action,
    (req, res, problems) => {
      const { words, site } = res.locals;
      const saved = "saved" in req.query;
      res.render("admin/site", presentSite(words, site, { typed: req.body, problems, saved }));
    },
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const changes = readForm(siteForm, req.body);
      await recordSiteChange(ctx, requireViewer(res).id, Object.keys(changes));
      await writeSite(ctx, changes);
      res.redirect(303, `${siteForm.action}?saved`);
    },
  );

  formPage(
    router,
    decideForm.action,
    async (_req, res) => {
      const reader = requireReader(res);
      const page = await applicationsPage(ctx, { before: reader.before, limit: pageSize });
      res.render("admin/requests", presentApplications(reader, page, mayDecide(reader.viewer)));
    },
    async (req, res) => {
      const { applicant, verb, ...rest } = readForm(decideForm, req.body);
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "accept") await acceptApplicant(ctx, decision, applicant);
      else await refuseApplicant(ctx, decision, applicant);
      res.redirect(303, decideForm.action);
    },
  );
  return router;
}
