import { Router } from "express";
import type { Ctx } from "../../context.ts";
import {
  acceptApplicant,
  applicationsPage,
  refuseApplicant,
} from "../../domain/community/applications.ts";
import { pageSize } from "../../domain/page.ts";
import { writeSite } from "../../domain/site/settings.ts";
import { readForm } from "../forms/form.ts";
import { decideForm } from "../forms/joining.ts";
import { siteForm } from "../forms/site.ts";
import { confirmation } from "../middleware/confirmation.ts";
import { requireReader } from "../middleware/language.ts";
import { formPage } from "../middleware/refusals.ts";
import { presentApplications } from "../present/joining.ts";
import { presentSite } from "../present/site.ts";

/** What admins decide about the site, and who may join; adminPages refuses other users. */
export function sitePages(ctx: Ctx, secret: string): Router {
  const router = Router();
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
      await writeSite(ctx, readForm(siteForm, req.body));
      res.redirect(303, `${siteForm.action}?saved`);
    },
  );

  formPage(
    router,
    decideForm.action,
    async (_req, res) => {
      const reader = requireReader(res);
      const page = await applicationsPage(ctx, { before: reader.before, limit: pageSize });
      res.render("admin/requests", presentApplications(reader, page));
    },
    async (req, res) => {
      const { applicant, verb, note } = readForm(decideForm, req.body);
      if (verb === "accept") await acceptApplicant(ctx, applicant);
      else await refuseApplicant(ctx, applicant, note);
      res.redirect(303, decideForm.action);
    },
  );
  return router;
}
