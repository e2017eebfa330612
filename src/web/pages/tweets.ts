import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { deleteTweet } from "../../domain/tweets/delete.ts";
import { findListed } from "../../domain/tweets/thread.ts";
import { buttonForm } from "../forms/accounts.ts";
import { readForm } from "../forms/form.ts";
import { absoluteUrl } from "../middleware/locals.ts";
import { requireViewer, viewerOf } from "../middleware/session.ts";
import { presentTweet } from "../present/timeline.ts";

export function tweetPages(ctx: Ctx): Router {
  const router = Router();

  router.get("/tweets/:id", async (req, res) => {
    const viewer = viewerOf(res);
    const found = await findListed(ctx, viewer, tweetIdOf(req));
    const tweet = found && (await presentTweet(ctx, viewer, found));
    if (found === undefined || tweet === undefined) throw new NotFound("tweet");
    res.render("tweets/show", {
      page: {
        title: `${tweet.author.fullname} (@${tweet.author.name}) · Suzume`,
        description: found.tweet.text,
        canonical: absoluteUrl(ctx, req, tweet.url),
        path: tweet.url,
      },
      tweet,
      reportUrl: viewer?.id === found.tweet.author ? undefined : `${tweet.url}/report`,
    });
  });

  router.post("/tweets/:id/delete", async (req, res) => {
    await deleteTweet(ctx, requireViewer(res).id, tweetIdOf(req));
    res.redirect(303, readForm(buttonForm, req.body).next ?? "/");
  });

  return router;
}

/** Throws NotFound for what cannot be the id of a tweet. */
function tweetIdOf(req: Request): TweetId {
  const id = parseTweetId(String(req.params["id"]));
  if (id === undefined) throw new NotFound("tweet");
  return id;
}
