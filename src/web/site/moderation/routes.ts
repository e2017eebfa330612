import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Forbidden, Invalid, NotFound } from "../../../domain/errors.ts";
import { auditPage, type CaseVerb, type Decision } from "../../../domain/moderation/audit.ts";
import {
  clearProfilePart,
  dismissReports,
  reinstatePerson,
  removeReported,
  suspendReported,
} from "../../../domain/moderation/moderate.ts";
import { ownReports } from "../../../domain/moderation/outcomes.ts";
import { reportPerson, reportTweet, reportedTweet } from "../../../domain/moderation/report.ts";
import { openCases } from "../../../domain/moderation/store.ts";
import { personSubject, type Subject } from "../../../domain/moderation/subject.ts";
import { pageSize } from "../../../domain/page.ts";
import { isModerator } from "../../../domain/users/roles.ts";
import { findUserByName, getUserByName, toName } from "../../../domain/users/store.ts";
import { suspendedPage } from "../../../domain/users/suspension.ts";
import { freshNonce, readCursor, readForm } from "../../layout/form.ts";
import { presentName } from "../../layout/people.ts";
import { presentTweet } from "../../layout/timeline.ts";
import { leadBack } from "../../request/admin-area.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { tweetIdOf } from "../tweets/edit-routes.ts";
import { ownReportsPath, presentAudit, presentOwnReports } from "./audit-view.ts";
import { decisionForm, reportForm, suspendForm } from "./form.ts";
import { presentCases, presentReportForm, presentSuspended } from "./view.ts";

/** Decisions of moderators; guardAdminArea refuses other users. */
export function moderationPages(ctx: Ctx): Router {
  const router = Router();

  // Oldest first, so the cursor is `?after=STAMP`.
  router.get(decisionForm.action, async (req, res) => {
    const after = readCursor(req.query["after"]);
    const page = await openCases(ctx, after);
    res.render("admin/reports", await presentCases(ctx, res.locals.words, page, after));
  });
  router.post(decisionForm.action, async (req, res) => {
    const { subject, verb, ...rest } = readForm(decisionForm, req.body);
    await decide(ctx, { by: requireViewer(res).id, ...rest }, verb, subject);
    const isWhole = verb === "dismiss" || verb === "suspend" || verb === "remove";
    leadBack(res, decisionForm.action, isWhole ? verb : "clear");
  });

  formPage(
    router,
    suspendForm.action,
    async (req, res, problems) => {
      const reader = requireReader(res);
      const page = await suspendedPage(ctx, { before: reader.before, limit: pageSize });
      const typed: unknown = req.body ?? freshNonce();
      res.render("admin/suspended", presentSuspended(reader, page, typed, problems));
    },
    async (req, res) => {
      const { name, verb, ...rest } = readForm(suspendForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      if (verb === "suspend" && isModerator(ctx, user)) throw new Invalid({ name: "role.first" });
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "reinstate") await reinstatePerson(ctx, decision, user.id);
      else await suspendReported(ctx, decision, personSubject(user.id));
      leadBack(res, suspendForm.action, verb);
    },
  );

  router.get("/admin/audit", async (_req, res) => {
    const reader = requireReader(res);
    const page = await auditPage(ctx, { before: reader.before, limit: pageSize });
    res.render("admin/audit", await presentAudit(ctx, reader, page));
  });

  return router;
}

async function decide(
  ctx: Ctx,
  decision: Decision,
  verb: CaseVerb,
  subject: Subject,
): Promise<void> {
  if (verb === "dismiss") await dismissReports(ctx, decision, subject);
  else if (verb === "suspend") await suspendReported(ctx, decision, subject);
  else if (verb === "remove") {
    if (subject.kind !== "tweet") throw new Forbidden("people cannot be removed");
    await removeReported(ctx, decision, subject.tweet);
  } else {
    if (subject.kind === "tweet") throw new Forbidden("tweets have no profile");
    await clearProfilePart(ctx, decision, { id: subject.person, part: verb });
  }
}

const thanks = "/reported";

/** Forms to report a tweet or a user to the admins, and what became of these reports. */
export function reportPages(ctx: Ctx): Router {
  const router = Router();

  formPage(
    router,
    "/tweets/:id/report",
    async (req, res, problems) => {
      const reader = requireReader(res);
      const item = await reportedTweet(ctx, reader.viewer, tweetIdOf(req));
      const tweet = await presentTweet(ctx, reader, item);
      if (tweet === undefined) throw new NotFound("tweet");
      const view = presentReportForm(reader.words, { tweet }, req.body, problems);
      res.render("reports/report", view);
    },
    limitVerb(ctx, "report"),
    async (req, res) => {
      const viewer = requireViewer(res);
      await reportTweet(ctx, viewer, tweetIdOf(req), readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  formPage(
    router,
    "/@:name/report",
    async (req, res, problems) => {
      const { words } = requireReader(res);
      const person = presentName(await getUserByName(ctx, String(req.params["name"])));
      res.render("reports/report", presentReportForm(words, { person }, req.body, problems));
    },
    limitVerb(ctx, "report"),
    async (req, res) => {
      const viewer = requireViewer(res);
      const person = await getUserByName(ctx, String(req.params["name"]));
      await reportPerson(ctx, viewer, person, readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  router.get(thanks, (_req, res) => {
    const { words } = requireReader(res);
    res.render("reports/thanks", { title: words.t("reports.thanks") });
  });

  router.get(ownReportsPath, async (_req, res) => {
    const reader = requireReader(res);
    const reports = await ownReports(ctx, reader.viewer.id);
    res.render("settings/reports", await presentOwnReports(ctx, reader, reports));
  });

  return router;
}
