import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { ownReports } from "../../domain/moderation/outcomes.ts";
import { reportedTweet, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import { getUserByName } from "../../domain/users/store.ts";
import { readForm } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import { requireReader } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { formPage } from "../middleware/refusals.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentReportForm } from "../present/moderation.ts";
import { ownReportsPath, presentOwnReports } from "../present/own-reports.ts";
import { presentName } from "../present/people.ts";
import { presentTweet } from "../present/timeline.ts";
import { tweetIdOf } from "./delete-tweet.ts";

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
    limitAct(ctx, "reports"),
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
    limitAct(ctx, "reports"),
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
