import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import {
  acceptApplicant,
  applicationsPage,
  refuseApplicant,
} from "../../domain/community/applications.ts";
import { Invalid } from "../../domain/errors.ts";
import type { Problems } from "../../domain/problems.ts";
import { recordSiteChange } from "../../domain/moderation/audit.ts";
import { pageSize } from "../../domain/page.ts";
import { checkSite } from "../../domain/site/edit.ts";
import { changeLogo, removeLogo } from "../../domain/site/logo.ts";
import { readSite, writeSite } from "../../domain/site/settings.ts";
import type { User } from "../../domain/users/store.ts";
import { readForm } from "../forms/form.ts";
import { decideForm } from "../forms/joining.ts";
import { logoForm, siteForm } from "../forms/site.ts";
import { upload } from "../middleware/bodies.ts";
import { confirmation } from "../middleware/confirmation.ts";
import { leadBack, mayDo } from "../middleware/desk.ts";
import { requireReader } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { formPage, onRefusal } from "../middleware/refusals.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentApplications } from "../present/joining.ts";
import { presentSite } from "../present/site.ts";

const saved = `${siteForm.action}?saved`;

/** What admins decide about the site, and who may join; adminPages refuses other users. */
export function sitePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const mayDecide = (viewer: User) => mayDo(ctx, viewer, "POST", decideForm.action);
  formPage(
    router,
    siteForm.action,
    (req, res, problems) => showSite(req, res, req.body, problems),
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const changes = checkSite(readForm(siteForm, req.body));
      const before = await readSite(ctx);
      const fields = Object.keys(changes) as (keyof typeof changes)[];
      const changed = fields.filter((field) => changes[field] !== before[field]);
      await recordSiteChange(ctx, requireViewer(res).id, changed);
      await writeSite(ctx, changes);
      res.redirect(303, saved);
    },
  );

  router.post(
    logoForm.action,
    onRefusal((req, res, problems) => showSite(req, res, undefined, problems)),
    limitAct(ctx, "uploads"),
    upload("logo"),
    async (req, res) => {
      if (req.file === undefined) throw new Invalid({ logo: "avatar.missing" });
      await changeLogo(ctx, req.file.buffer);
      await recordSiteChange(ctx, requireViewer(res).id, ["logo"]);
      res.redirect(303, saved);
    },
  );
  router.post(`${logoForm.action}/remove`, async (_req, res) => {
    await recordSiteChange(ctx, requireViewer(res).id, ["logo"]);
    await removeLogo(ctx);
    res.redirect(303, saved);
  });

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
      leadBack(res, decideForm.action, verb);
    },
  );
  return router;
}

/** Both forms of the page; `typed` is a refused one of the settings. */
function showSite(req: Request, res: Response, typed: unknown, problems: Problems): void {
  const { words, site } = res.locals;
  const isSaved = "saved" in req.query;
  res.render("admin/site", presentSite(words, site, { typed, problems, saved: isSaved }));
}
