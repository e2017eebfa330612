import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden, Invalid, type Problems } from "../../domain/errors.ts";
import { actsPage, type Part, type Verb } from "../../domain/moderation/audit.ts";
import { lookInto } from "../../domain/moderation/facts.ts";
import {
  clearPart,
  type Decision,
  dismissReports,
  reinstatePerson,
  removeReported,
  suspendReported,
} from "../../domain/moderation/moderate.ts";
import { openCases } from "../../domain/moderation/store.ts";
import type { Subject } from "../../domain/moderation/subject.ts";
import { pageSize } from "../../domain/page.ts";
import { parseStamp } from "../../domain/stamp.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { suspendedPage } from "../../domain/users/suspension.ts";
import { readForm, showForm } from "../forms/form.ts";
import { decisionForm, freshAct, suspendForm } from "../forms/moderation.ts";
import type { Translator } from "../languages/translator.ts";
import { onRefusal } from "../middleware/errors.ts";
import { wordsOf } from "../middleware/language.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentAct } from "../present/acts.ts";
import { presentCases } from "../present/cases.ts";
import { presentPaging } from "../present/paging.ts";
import { presentSuspended } from "../present/suspended.ts";
import { beforeOf } from "./page-cursor.ts";

const paths = {
  reports: "/admin/reports",
  suspended: "/admin/suspended",
  audit: "/admin/audit",
} as const;

/** Decisions of admins; adminPages refuses other users. */
export function moderationPages(ctx: Ctx): Router {
  const router = Router();

  router.get(paths.reports, (req, res) => showReports(ctx, req, res));
  router.post(paths.reports, async (req, res) => {
    const { subject, verb, ...rest } = readForm(decisionForm, req.body);
    const decision = { by: requireViewer(res).id, ...rest };
    await decide(ctx, decision, verb, subject);
    res.redirect(303, paths.reports);
  });

  router.get(paths.suspended, (req, res) => showSuspended(ctx, req, res, freshAct()));
  router.post(
    paths.suspended,
    onRefusal((req, res, problems) => showSuspended(ctx, req, res, req.body, problems)),
    async (req, res) => {
      const { name, verb, ...rest } = readForm(suspendForm, req.body);
      const user = await findUserByName(ctx, name.trim().replace(/^@/, ""));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "reinstate") await reinstatePerson(ctx, decision, user.id);
      else await suspendReported(ctx, decision, { kind: "person", person: user.id });
      res.redirect(303, paths.suspended);
    },
  );

  router.get(paths.audit, (req, res) => showAudit(ctx, req, res));

  return router;
}

async function decide(
  ctx: Ctx,
  decision: Decision,
  verb: Exclude<Verb, "reinstate" | "reset" | "resetFactors">,
  subject: Subject,
): Promise<void> {
  if (verb === "dismiss") await dismissReports(ctx, decision, subject);
  else if (verb === "suspend") await suspendReported(ctx, decision, subject);
  else if (verb !== "remove") await clearReported(ctx, decision, subject, verb);
  else if (subject.kind === "tweet") await removeReported(ctx, decision, subject.tweet);
  else throw new Forbidden("people cannot be removed");
}

async function clearReported(ctx: Ctx, decision: Decision, subject: Subject, part: Part) {
  if (subject.kind === "tweet") throw new Forbidden("tweets have no profile");
  await clearPart(ctx, decision, { id: subject.person, part });
}

/** Oldest first, so the cursor is `?after=STAMP`. */
async function showReports(ctx: Ctx, req: Request, res: Response): Promise<void> {
  const { after: raw } = req.query;
  const after = typeof raw === "string" ? parseStamp(raw) : undefined;
  const { items, older } = await openCases(ctx, after);
  const subjects = items.map((one) => one.subject);
  const reporters = items.flatMap((one) => one.reports.map((report) => report.reporter));
  const facts = await lookInto(ctx, subjects, reporters);
  const words = wordsOf(res);
  res.render("admin/reports", {
    page: pageOf(words, "reports"),
    cases: presentCases(ctx, words, items, facts),
    emptyMessage: items.length === 0 ? words.t("moderation.noReports") : undefined,
    older:
      older === undefined
        ? undefined
        : { href: `${paths.reports}?after=${older}`, label: words.t("moderation.moreReports") },
    newest:
      after === undefined
        ? undefined
        : { href: paths.reports, label: words.t("moderation.backToOldest") },
  });
}

async function showSuspended(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
): Promise<void> {
  const before = beforeOf(req);
  const page = await suspendedPage(ctx, { before, limit: pageSize });
  const words = wordsOf(res);
  res.render("admin/suspended", {
    page: pageOf(words, "suspended"),
    form: showForm(words, suspendForm, values, problems),
    suspended: page.items.map((one) => presentSuspended(words, one, ctx.now())),
    emptyMessage: page.items.length === 0 ? words.t("moderation.noSuspended") : undefined,
    ...presentPaging(words, paths.suspended, page, before === undefined),
  });
}

async function showAudit(ctx: Ctx, req: Request, res: Response): Promise<void> {
  const before = beforeOf(req);
  const page = await actsPage(ctx, { before, limit: pageSize });
  const facts = await lookInto(
    ctx,
    page.items.map((act) => act.subject),
    page.items.map((act) => act.by),
  );
  const words = wordsOf(res);
  res.render("admin/audit", {
    page: pageOf(words, "audit"),
    acts: page.items.map((act) => presentAct(words, act, facts, ctx.now())),
    emptyMessage: page.items.length === 0 ? words.t("moderation.noActs") : undefined,
    ...presentPaging(words, paths.audit, page, before === undefined),
  });
}

function pageOf(words: Translator, name: keyof typeof paths) {
  const title = `${words.t(`moderation.${name}`)} · ${words.t("nav.moderation")} · Suzume`;
  return { title, path: paths[name] };
}
