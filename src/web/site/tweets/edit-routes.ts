import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { deleteTweet } from "../../../domain/actions/delete-tweet.ts";
import { beginEdit, editTweet, requireEditable } from "../../../domain/actions/edit-tweet.ts";
import { Forbidden, Invalid, NotFound, type Problems, required } from "../../../domain/errors.ts";
import { getFeedItem, historyFor } from "../../../domain/feeds/thread.ts";
import { parseTweetId, type TweetId } from "../../../domain/ids.ts";
import { getOwnTweet } from "../../../domain/feeds/sight.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { choicesToEdit } from "../../layout/audience.ts";
import { nextOf, readForm, refererOf, textsOf } from "../../layout/form.ts";
import { readerOf, requireReader, requireViewer, viewerOf } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { keepPictures, keptIn, receivePictures } from "../../request/pictures.ts";
import { onRefusal, refuseGone } from "../../request/refusals.ts";
import { acceptsStream, renderStream } from "../../server/render.ts";
import { composerOptions, showHome, writtenIn } from "../home/routes.ts";
import { editForm, fieldsOf, showComposer } from "./form.ts";
import { presentHistory } from "./view.ts";

const goneTweet = "edit.gone";
const otherWriter = "form.writer";

/** Editing a tweet, and what it was before. */
export function editPages(router: Router, ctx: Ctx): void {
  const editAgain = onRefusal((req, res, problems) => showAgain(ctx, req, res, problems));
  const limited = limitVerb(ctx, "edit");

  router.get("/tweets/:id/edit", async (req, res) => {
    const tweet = await getOwnTweet(ctx, requireViewer(res).id, tweetIdOf(req));
    await showEditor(ctx, res, tweet, fieldsOf(tweet), problemsOf(ctx, tweet));
  });
  router.post("/tweets/:id/edit", editAgain, receivePictures(), limited, async (req, res) => {
    const { id: author } = requireViewer(res);
    const id = tweetIdOf(req);
    await getOwnTweet(ctx, author, id).catch(refuseOther).catch(refuseGone(goneTweet));
    await beginEdit(ctx, author, id).catch(refuseGone(goneTweet));
    const typed = readForm(editForm(id), req.body);
    const pictures = await keepPictures(ctx, req, res);
    await editTweet(ctx, author, id, {
      ...writtenIn(ctx, res, typed),
      seen: typed.seen,
      pictures,
      audience: typed.audience,
      repliesFrom: typed.replies_from,
      charge: (points) => countVerb(ctx, req, res, "mention", points),
    }).catch(refuseGone(goneTweet));
    res.redirect(303, `/tweets/${id}`);
  });
  router.get("/tweets/:id/history", async (req, res) => {
    const item = await getFeedItem(ctx, viewerOf(res), tweetIdOf(req));
    const versions = await historyFor(ctx, viewerOf(res), item.tweet);
    res.render("tweets/history", presentHistory(ctx, readerOf(res).words, item.tweet, versions));
  });
}

/** Another user has logged in in this browser: the text comes back, as the composer of a new tweet. */
function refuseOther(error: unknown): never {
  throw error instanceof Forbidden ? new Invalid({ form: otherWriter }) : error;
}

/** For what is gone, or is of another user. */
export function ignoreGone(error: unknown): undefined {
  if (!(error instanceof NotFound || error instanceof Forbidden)) throw error;
}

/** Why a tweet cannot be edited. */
function problemsOf(ctx: Ctx, tweet: Tweet): Problems {
  try {
    requireEditable(ctx, tweet);
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.problems;
    throw error;
  }
}

/**
 * The form as it was typed. Sent again, it replaces the version that there is by now; if the tweet is gone or of another
 * user, it is a new one, without the pictures of that tweet.
 */
async function showAgain(ctx: Ctx, req: Request, res: Response, problems: Problems): Promise<void> {
  const author = requireViewer(res).id;
  const tweet = await getOwnTweet(ctx, author, tweetIdOf(req)).catch(ignoreGone);
  if (tweet === undefined) {
    const { audience = "mentioned", ...texts } = textsOf(req.body);
    return await showHome(ctx, res, { ...texts, audience, uploads: undefined }, problems);
  }
  const typed = { ...textsOf(req.body), uploads: keptIn(req).join(" ") };
  await showEditor(ctx, res, tweet, typed, problems);
}

async function showEditor(
  ctx: Ctx,
  res: Response,
  tweet: Tweet,
  values: Record<string, string | undefined>,
  problems: Problems,
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const options = await composerOptions(ctx, viewer, choicesToEdit(tweet));
  const typed = { ...values, seen: String(tweet.editedAt ?? 0) };
  res.render("tweets/edit", {
    title: words.t("edit.heading"),
    tweetUrl: `/tweets/${tweet.id}`,
    hasPoll: tweet.poll !== undefined,
    composer: showComposer(words, options, typed, problems, editForm(tweet.id)),
  });
}

/** Deleting a tweet: the script takes it from the list that shows it; other clients go back to the list. */
export function deletionPages(router: Router, ctx: Ctx): void {
  router.post("/tweets/:id/delete", async (req, res) => {
    const id = tweetIdOf(req);
    await deleteTweet(ctx, requireViewer(res).id, id);
    const from = refererOf(req);
    const isInList = from !== undefined && !isPageOf(id, from);
    if (isInList && acceptsStream(req))
      renderStream(res, "tweets/deleted", { actions: actionsOf(`/tweets/${id}`) });
    else res.redirect(303, saysDeleted(req, nextOf(req) ?? "/"));
  });
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
  return required(parseTweetId(String(req.params["id"])), "tweet");
}

/** Selects the buttons of a tweet, wherever it is on a page. */
export function actionsOf(url: string): string {
  return `form.tweet-actions[action^="${url}/"]`;
}

function isPageOf(id: TweetId, path: string): boolean {
  return path.split("?")[0] === `/tweets/${id}`;
}
