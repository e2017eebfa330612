import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden, Invalid } from "../../domain/errors.ts";
import { actsPage, type CaseVerb } from "../../domain/moderation/audit.ts";
import {
  clearProfilePart,
  type Decision,
  dismissReports,
  reinstatePerson,
  removeReported,
  suspendReported,
} from "../../domain/moderation/moderate.ts";
import { openCases } from "../../domain/moderation/store.ts";
import type { Subject } from "../../domain/moderation/subject.ts";
import { pageSize } from "../../domain/page.ts";
import { isModerator } from "../../domain/users/roles.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { suspendedPage } from "../../domain/users/suspension.ts";
import { readCursor, readForm } from "../forms/form.ts";
import { decisionForm, freshAct, suspendForm } from "../forms/moderation.ts";
import { leadBack } from "../middleware/desk.ts";
import { requireReader } from "../middleware/language.ts";
import { formPage } from "../middleware/refusals.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentAudit } from "../present/audit.ts";
import { presentCases, presentSuspended } from "../present/moderation.ts";

/** Decisions of moderators; guardDesk refuses other users. */
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
      const typed: unknown = req.body ?? freshAct();
      res.render("admin/suspended", presentSuspended(reader, page, typed, problems));
    },
    async (req, res) => {
      const { name, verb, ...rest } = readForm(suspendForm, req.body);
      const user = await findUserByName(ctx, name.trim().replace(/^@/, ""));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      if (verb === "suspend" && isModerator(ctx, user)) throw new Invalid({ name: "role.first" });
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "reinstate") await reinstatePerson(ctx, decision, user.id);
      else await suspendReported(ctx, decision, { kind: "person", person: user.id });
      leadBack(res, suspendForm.action, verb);
    },
  );

  router.get("/admin/audit", async (_req, res) => {
    const reader = requireReader(res);
    const page = await actsPage(ctx, { before: reader.before, limit: pageSize });
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
