import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Forbidden, Invalid } from "../../../domain/errors.ts";
import type { UserId } from "../../../domain/ids.ts";
import {
  type AuditEntry,
  type CaseVerb,
  type Decision,
  auditPage,
  personSubject,
  readSubjects,
  type Subject,
  type SubjectFacts,
} from "../../../domain/moderation/audit.ts";
import {
  clearProfilePart,
  dismissReports,
  lookAtReported,
  reinstatePerson,
  removeReported,
  suspendReported,
} from "../../../domain/moderation/moderate.ts";
import { findCase, openCases } from "../../../domain/moderation/store.ts";
import { pageSize } from "../../../domain/page.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { isModerator } from "../../../domain/users/roles.ts";
import { findUserByName, toName, type User } from "../../../domain/users/store.ts";
import { suspendedPage } from "../../../domain/users/suspension.ts";
import type { Translator } from "../../languages/translator.ts";
import { readCursor, readForm, showForm } from "../../layout/form.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentMoment, presentTime } from "../../layout/time.ts";
import { leadBack } from "../../request/admin-area.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { formPage } from "../../request/refusals.ts";
import { decisionForm, personOf, presentCases, suspendForm, titleOf } from "./view.ts";

/** Decisions of moderators; guardAdminArea refuses other users. */
export function moderationPages(router: Router, ctx: Ctx): void {
  // Oldest first, so the cursor is `?after=STAMP`.
  router.get(decisionForm.action, async (req, res) => {
    const after = readCursor(req.query["after"]);
    const page = await openCases(ctx, after);
    res.render("admin/reports", await presentCases(ctx, res.locals.words, page, after));
  });
  router.post(decisionForm.action, async (req, res) => {
    const { subject, verb, ...rest } = readForm(decisionForm, req.body);
    const decision = { by: requireViewer(res).id, ...rest };
    if (verb === "look") {
      if (subject.kind !== "tweet") throw new Forbidden("people are shown to all");
      await lookAtReported(ctx, decision, subject.tweet);
      const shown = await findCase(ctx, subject);
      const page = { items: shown ? [shown] : [], older: undefined };
      const view = await presentCases(ctx, res.locals.words, page, 0, subject.tweet);
      return res.render("admin/reports", view);
    }
    await decide(ctx, decision, verb, subject);
    const isWhole = verb === "dismiss" || verb === "suspend" || verb === "remove";
    leadBack(res, decisionForm.action, isWhole ? verb : "clear");
  });

  formPage(router, suspendForm.action, {
    async show(req, res, problems) {
      const reader = requireReader(res);
      const { words, before } = reader;
      const page = await suspendedPage(ctx, { before, limit: pageSize });
      res.render("admin/suspended", {
        title: titleOf(words, "moderation.suspended"),
        form: showForm(words, suspendForm, req.body, problems),
        suspended: page.items.map(({ user, stamp }) => ({
          ...presentName(user),
          since: words.pieces("moderation.since", { time: presentMoment(words, stamp) }),
          reinstate: showForm(words, suspendForm),
        })),
        ...presentPaging(reader, suspendForm.action, page, "moderation.noSuspended"),
      });
    },
    async submit(req, res) {
      const { name, verb, ...rest } = readForm(suspendForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      if (verb === "suspend" && isModerator(ctx, user)) throw new Invalid({ name: "role.first" });
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "reinstate") await reinstatePerson(ctx, decision, user.id);
      else await suspendReported(ctx, decision, personSubject(user.id));
      leadBack(res, suspendForm.action, verb);
    },
  });

  router.get("/admin/audit", async (_req, res) => {
    const reader = requireReader(res);
    const { words, before } = reader;
    const page = await auditPage(ctx, { before, limit: pageSize });
    const subjects = page.items.map(({ subject }) => subject);
    const moderators = page.items.flatMap(({ by }) => by ?? []);
    const facts = await readSubjects(ctx, subjects, moderators);
    res.render("admin/audit", {
      title: titleOf(words, "moderation.audit"),
      entries: page.items.map((entry) => ({
        sentence: presentEntry(words, entry, facts),
        note: noteOf(words, entry, res.locals.site),
        ...presentTime(words, entry.stamp, ctx.now()),
      })),
      ...presentPaging(reader, "/admin/audit", page, "moderation.noEntries"),
    });
  });
}

async function decide(ctx: Ctx, decision: Decision, verb: CaseVerb, subject: Subject) {
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

/** The note as its author wrote it; that of a change of settings lists their names. */
function noteOf(words: Translator, { verb, note }: AuditEntry, site: SiteSettings): string {
  if (verb !== "site") return note;
  const labels = note
    .split(", ")
    .map((name) => (name in site ? words.t(`site.${name as keyof SiteSettings}`) : name));
  return labels.join(" · ");
}

function presentEntry(words: Translator, { by, verb, subject }: AuditEntry, facts: SubjectFacts) {
  const id = subject.kind === "tweet" ? subject.tweet : undefined;
  const actor = (user: UserId) =>
    linkTo(facts.users.get(user)) ?? words.t("moderation.deletedAccountFirst");
  return words.pieces<{ href: string; text: string }>(`moderation.did.${verb}`, {
    about: subject.kind,
    by: by === undefined ? words.t("moderation.operator") : actor(by),
    person: linkTo(personOf(subject, facts)) ?? words.t("moderation.deletedAccount"),
    ...(id && { tweet: { href: `/tweets/${id}`, text: words.t("moderation.tweet", { id }) } }),
  });
}

function linkTo(user: User | undefined) {
  return user && { href: `/@${user.name}`, text: `@${user.name}` };
}
