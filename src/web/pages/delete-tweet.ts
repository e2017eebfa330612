import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { deleteTweet } from "../../domain/actions/delete-tweet.ts";
import { NotFound } from "../../domain/errors.ts";
import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { nextOf, refererOf } from "../forms/safe-redirect.ts";
import { requireViewer } from "../middleware/session.ts";
import { acceptsStream, renderStream } from "../render.ts";

/** Deleting a tweet: the script takes it from the list that shows it; other clients go back to the list. */
export function deletionPages(ctx: Ctx): Router {
  const router = Router();
  router.post("/tweets/:id/delete", async (req, res) => {
    const id = tweetIdOf(req);
    await deleteTweet(ctx, requireViewer(res).id, id);
    const from = refererOf(req);
    const isInList = from !== undefined && !isPageOf(id, from);
    if (isInList && acceptsStream(req))
      renderStream(res, "tweets/deleted", { actions: actionsOf(`/tweets/${id}`) });
    else res.redirect(303, saysDeleted(req, nextOf(req) ?? "/"));
  });
  return router;
}

/** Address of a page with "Deleted." at its top, see views/layouts/base.pug. The script says it itself. */
export function saysDeleted(req: Request, path: string): string {
  return acceptsStream(req) ? path : `${path.replace(/#.*/, "")}#deleted`;
}

/** The list whose menu link, with `?menu`, led to the page of a tweet: deleting the tweet leads back to it. */
export function listBefore(req: Request, id: TweetId): string | undefined {
  const from = "menu" in req.query ? refererOf(req) : undefined;
  return from === undefined || isPageOf(id, from) ? undefined : from;
}

/** Throws NotFound if the parameter cannot be the id of a tweet. */
export function tweetIdOf(req: Request): TweetId {
  const id = parseTweetId(String(req.params["id"]));
  if (id === undefined) throw new NotFound("tweet");
  return id;
}

/** Selects the buttons of a tweet, wherever it is on a page. */
export function actionsOf(url: string): string {
  return `form.tweet-actions[action^="${url}/"]`;
}

function isPageOf(id: TweetId, path: string): boolean {
  return path.split("?")[0] === `/tweets/${id}`;
}
