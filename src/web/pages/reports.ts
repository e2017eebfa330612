import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound, type Problems } from "../../domain/errors.ts";
import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { reportedTweet, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import { getUserByName, type User } from "../../domain/users/store.ts";
import { readForm } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import { onRefusal } from "../middleware/errors.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentName } from "../present/people.ts";
import { presentReportForm } from "../present/reports.ts";
import { presentTweet } from "../present/timeline.ts";

const thanks = "/reported";

/** Where people tell the admins of a tweet or of somebody. */
export function reportPages(ctx: Ctx): Router {
  const router = Router();

  router.get("/tweets/:id/report", (req, res) => showTweetReport(ctx, req, res, {}));
  router.post(
    "/tweets/:id/report",
    onRefusal((req, res, problems) => showTweetReport(ctx, req, res, req.body, problems)),
    async (req, res) => {
      const viewer = requireViewer(res);
      await reportTweet(ctx, viewer, tweetIdOf(req), readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  router.get("/@:name/report", (req, res) => showPersonReport(ctx, req, res, {}));
  router.post(
    "/@:name/report",
    onRefusal((req, res, problems) => showPersonReport(ctx, req, res, req.body, problems)),
    async (req, res) => {
      const viewer = requireViewer(res);
      const person = await userOf(ctx, req);
      await reportPerson(ctx, viewer, person, readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  router.get(thanks, (_req, res) => {
    requireViewer(res);
    res.render("reports/thanks", { page: { title: "Thank you · Suzume", path: thanks } });
  });

  return router;
}

async function showTweetReport(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
): Promise<void> {
  const viewer = requireViewer(res);
  const listed = await reportedTweet(ctx, viewer, tweetIdOf(req));
  const tweet = await presentTweet(ctx, viewer, listed);
  if (tweet === undefined) throw new NotFound("tweet");
  const action = `${tweet.url}/report`;
  res.render("reports/report", {
    page: { title: "Report a tweet · Suzume", path: action },
    heading: "Report a tweet",
    tweet,
    ...presentReportForm(action, values, problems),
  });
}

async function showPersonReport(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
): Promise<void> {
  requireViewer(res);
  const person = presentName(await userOf(ctx, req));
  const action = `${person.url}/report`;
  res.render("reports/report", {
    page: { title: "Report a person · Suzume", path: action },
    heading: "Report a person",
    person,
    ...presentReportForm(action, values, problems),
  });
}

/** Throws NotFound. */
function tweetIdOf(req: Request): TweetId {
  const id = parseTweetId(String(req.params["id"]));
  if (id === undefined) throw new NotFound("tweet");
  return id;
}

/** Throws NotFound, Suspended. */
async function userOf(ctx: Ctx, req: Request): Promise<User> {
  return await getUserByName(ctx, String(req.params["name"]));
}
