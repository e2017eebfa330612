import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound, type Problems } from "../../domain/errors.ts";
import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { reportedTweet, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import { getUserByName } from "../../domain/users/store.ts";
import { readForm } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import { onRefusal } from "../middleware/errors.ts";
import { requireReader, wordsOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentName } from "../present/people.ts";
import { presentReportForm } from "../present/reports.ts";
import { presentTweet } from "../present/timeline.ts";

const thanks = "/reported";

/** The input of the form and its problems. */
interface Typed {
  values?: unknown;
  problems?: Problems;
}

/** `raw` is the path parameter: the tweet's id or the user's name. */
type Show = (ctx: Ctx, res: Response, raw: string, typed: Typed) => Promise<void>;

/** Forms to report a tweet or a user to the admins. */
export function reportPages(ctx: Ctx): Router {
  const router = Router();

  router.get("/tweets/:id/report", (req, res) => showTweetReport(ctx, res, partOf(req), {}));
  router.post(
    "/tweets/:id/report",
    showAgain(ctx, showTweetReport),
    limitAct(ctx, "reports"),
    async (req: Request, res: Response) => {
      const viewer = requireViewer(res);
      await reportTweet(ctx, viewer, readId(partOf(req)), readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  router.get("/@:name/report", (req, res) => showPersonReport(ctx, res, partOf(req), {}));
  router.post(
    "/@:name/report",
    showAgain(ctx, showPersonReport),
    limitAct(ctx, "reports"),
    async (req: Request, res: Response) => {
      const viewer = requireViewer(res);
      const person = await getUserByName(ctx, partOf(req));
      await reportPerson(ctx, viewer, person, readForm(reportForm, req.body));
      res.redirect(303, thanks);
    },
  );

  router.get(thanks, (_req, res) => {
    requireViewer(res);
    const title = `${wordsOf(res).t("reports.thanks")} · Suzume`;
    res.render("reports/thanks", { page: { title, path: thanks } });
  });

  return router;
}

/** Keeps the path parameter, which Express drops before it handles a refusal. */
function showAgain(ctx: Ctx, show: Show): RequestHandler {
  return (req, res, next) => {
    const raw = partOf(req);
    const again = onRefusal(({ body: values }: Request, _res, problems) =>
      show(ctx, res, raw, { values, problems }),
    );
    again(req, res, next);
  };
}

const showTweetReport: Show = async (ctx, res, raw, { values, problems = {} }) => {
  const reader = requireReader(res);
  const { viewer, words } = reader;
  const listed = await reportedTweet(ctx, viewer, readId(raw));
  const tweet = await presentTweet(ctx, reader, listed);
  if (tweet === undefined) throw new NotFound("tweet");
  const action = `${tweet.url}/report`;
  const heading = words.t("reports.tweet");
  res.render("reports/report", {
    page: { title: `${heading} · Suzume`, path: action },
    heading,
    tweet,
    ...presentReportForm(words, action, values, problems),
  });
};

const showPersonReport: Show = async (ctx, res, raw, { values, problems = {} }) => {
  const { words } = requireReader(res);
  const person = presentName(await getUserByName(ctx, raw));
  const action = `${person.url}/report`;
  const heading = words.t("reports.person");
  res.render("reports/report", {
    page: { title: `${heading} · Suzume`, path: action },
    heading,
    person,
    ...presentReportForm(words, action, values, problems),
  });
};

function partOf({ params }: Request): string {
  return String(params["id"] ?? params["name"]);
}

/** Throws NotFound if `raw` cannot be the id of a tweet. */
function readId(raw: string): TweetId {
  const id = parseTweetId(raw);
  if (id === undefined) throw new NotFound("tweet");
  return id;
}
