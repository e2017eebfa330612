import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid, NotFound, type Problems } from "../../domain/errors.ts";
import { parseTweetId } from "../../domain/ids.ts";
import { postTweet } from "../../domain/actions/post-tweet.ts";
import { readForm, textsOf } from "../forms/form.ts";
import { quotedIn } from "../forms/quoted.ts";
import { tweetForm } from "../forms/tweets.ts";
import { onRefusal } from "../middleware/errors.ts";
import { limitTweets } from "../middleware/limits.ts";
import { absoluteUrl } from "../middleware/locals.ts";
import { requireViewer } from "../middleware/session.ts";
import { showHome } from "./home.ts";
import { showThread } from "./thread.ts";

/** Posting, from the home page and from a tweet's page. */
export function composePages(ctx: Ctx): Router {
  const router = Router();
  const composeAgain = onRefusal((req, res, problems) => showAgain(ctx, req, res, problems));

  router.post("/tweets", composeAgain, limitTweets(ctx, "text"), async (req, res) => {
    const { id } = requireViewer(res);
    const { text, reply_to: replyTo, nonce } = readForm(tweetForm, req.body);
    if (replyTo === undefined && textsOf(req.body)["reply_to"] !== undefined)
      throw new Invalid({ form: "reply.gone" });
    const quoteOf = quotedIn(text, absoluteUrl(ctx, req, "/tweets/"));
    const tweet = await postTweet(ctx, id, { text, nonce, replyTo, quoteOf });
    res.redirect(303, replyTo === undefined ? "/" : `/tweets/${replyTo}#tweet-${tweet}`);
  });

  return router;
}

/** The composer as it was typed: under the tweet it replies to or, if that is gone, on the home page. */
async function showAgain(ctx: Ctx, req: Request, res: Response, problems: Problems): Promise<void> {
  const viewer = requireViewer(res);
  const typed = textsOf(req.body);
  const replyTo = parseTweetId(typed["reply_to"] ?? "");
  const shown =
    replyTo !== undefined &&
    (await showUnlessGone(showThread(ctx, req, res, replyTo, { typed, problems })));
  if (!shown) await showHome(ctx, req, res, viewer, { ...typed, reply_to: undefined }, problems);
}

/** Resolves to false if the tweet in question is gone. */
async function showUnlessGone(showing: Promise<void>): Promise<boolean> {
  return await showing.then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false;
      throw error;
    },
  );
}
