import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { required, type Problems } from "../../../domain/errors.ts";
import { getFeedItem } from "../../../domain/feeds/thread.ts";
import { type OwnReport, ownReports } from "../../../domain/moderation/outcomes.ts";
import { reportPerson, reportTweet } from "../../../domain/moderation/report.ts";
import { reasons } from "../../../domain/moderation/store.ts";
import { type SubjectFacts, readSubjects } from "../../../domain/moderation/audit.ts";
import { getUserByName } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { anyText, formOf, readForm, showForm, textsOf } from "../../layout/form.ts";
import { presentName } from "../../layout/people.ts";
import { presentMoment } from "../../layout/time.ts";
import { presentTweet } from "../../layout/timeline.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { settingsFrame } from "../settings/view.ts";
import { tweetIdOf } from "../tweets/edit-routes.ts";
import { personOf } from "./view.ts";

/** Reports a tweet or a user; its action is below the page of either. */
const reportForm = formOf("", { fields: { reason: anyText, comment: anyText } });

const thanks = "/reported";
const ownReportsPath = "/settings/reports";

/** Forms to report a tweet or a user to the admins, and what became of these reports. */
export function reportPages(router: Router, ctx: Ctx): void {
  formPage(router, "/tweets/:id/report", {
    async show(req, res, problems) {
      const reader = requireReader(res);
      const { words } = reader;
      const item = await getFeedItem(ctx, reader.viewer, tweetIdOf(req));
      const tweet = required(await presentTweet(ctx, reader, item), "tweet");
      const form = presentReportForm(words, tweet.url, req.body, problems);
      res.render("reports/report", { title: words.t("reports.tweet"), tweet, ...form });
    },
    checks: [limitVerb(ctx, "report")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      await reportTweet(ctx, viewer, tweetIdOf(req), readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  });

  formPage(router, "/@:name/report", {
    async show(req, res, problems) {
      const { words } = requireReader(res);
      const person = presentName(await getUserByName(ctx, String(req.params["name"])));
      const form = presentReportForm(words, person.url, req.body, problems);
      res.render("reports/report", { title: words.t("reports.person"), person, ...form });
    },
    checks: [limitVerb(ctx, "report")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      const person = await getUserByName(ctx, String(req.params["name"]));
      await reportPerson(ctx, viewer, person, readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  });

  router.get(thanks, (_req, res) => {
    res.render("reports/thanks", { title: requireReader(res).words.t("reports.thanks") });
  });

  // The names of tweets and users lead to their pages, which decide who sees them.
  router.get(ownReportsPath, async (_req, res) => {
    const { viewer, words } = requireReader(res);
    const reports = await ownReports(ctx, viewer.id);
    const subjects = reports.map(({ subject }) => subject);
    const facts = await readSubjects(ctx, subjects, []);
    res.render("settings/reports", {
      ...settingsFrame(words, ownReportsPath, "reports.yours"),
      reports: reports.map((report) => ({
        about: presentSubject(words, report, facts),
        state: words.pieces(`reports.state.${report.state}`, {
          time: presentMoment(words, report.stamp),
        }),
      })),
    });
  });
}

/** The form with what was typed; `url`: what is reported. */
function presentReportForm(words: Translator, url: string, typed: unknown, problems: Problems) {
  const form = { ...reportForm, action: `${url}/report` };
  const chosen = textsOf(typed)["reason"];
  return { form: showForm(words, form, typed, problems), reasons, chosen };
}

function presentSubject(words: Translator, { subject }: OwnReport, facts: SubjectFacts) {
  const person = personOf(subject, facts);
  if (person === undefined)
    return { text: words.t(`reports.gone.${subject.kind}`), href: undefined };
  const name = `@${person.name}`;
  if (subject.kind === "person") return { text: name, href: `/${name}` };
  const href = facts.tweets.has(subject.tweet) ? `/tweets/${subject.tweet}` : undefined;
  return { text: words.t("reports.tweetBy", { name }), href };
}
