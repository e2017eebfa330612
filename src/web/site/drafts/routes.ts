import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import {
  changeDraft,
  deleteDraft,
  notePictures,
  saveDraft,
} from "../../../domain/actions/save-draft.ts";
import { sendDraft } from "../../../domain/actions/send-draft.ts";
import type { Problems } from "../../../domain/problems.ts";
import { getDraft, listDrafts } from "../../../domain/tweets/saved-drafts.ts";
import {
  chooseTimeZone,
  findTimeZone,
  momentOf,
  timeZones,
} from "../../../domain/users/time-zone.ts";
import { readForm, showForm, textsOf } from "../../layout/form.ts";
import { requireReader } from "../../request/language.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { keepPictures, keptIn, receivePictures } from "../../request/pictures.ts";
import { onRefusal } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { composerOptions, inputOf } from "../home/routes.ts";
import { saysDeleted } from "../tweets/edit-routes.ts";
import { showComposer, tweetForm } from "../tweets/form.ts";
import { showAgain } from "../tweets/routes.ts";
import { draftForm, draftsPath, startOf, zoneForm } from "./form.ts";
import { presentDraft, presentProblem } from "./view.ts";

/** Tweets that wait: for their author, or for a time. */
export function draftPages(ctx: Ctx): Router {
  const router = Router();
  const limited = limitVerb(ctx, "draft");
  const composeAgain = onRefusal((req, res, problems) => showAgain(ctx, req, res, problems));
  const listAgain = onRefusal((_req, res, problems) => showDrafts(ctx, res, problems));
  const draftAgain = onRefusal((req, res, problems) => showDraft(ctx, req, res, problems));

  router.get(draftsPath, (_req, res) => showDrafts(ctx, res));
  router.post(draftsPath, composeAgain, receivePictures(), limited, async (req, res) => {
    const { id: user } = requireViewer(res);
    const typed = readForm(tweetForm, req.body);
    const pictures = await keepPictures(ctx, req, res);
    const input = inputOf(ctx, req, res, typed);
    const { id } = await saveDraft(ctx, user, { ...input, pictures }, typed);
    res.redirect(303, `${draftsPath}/${id}?saved`);
  });
  router.post(zoneForm.action, listAgain, limited, async (req, res) => {
    await chooseTimeZone(ctx, requireViewer(res).id, readForm(zoneForm, req.body).zone);
    res.redirect(303, draftsPath);
  });

  router.get(`${draftsPath}/:id`, (req, res) => showDraft(ctx, req, res));
  router.post(`${draftsPath}/:id`, draftAgain, receivePictures(), limited, async (req, res) => {
    const { id: user } = requireViewer(res);
    const { id } = await getDraft(ctx, user, String(req.params["id"]));
    const typed = readForm(draftForm(id), req.body);
    await notePictures(ctx, user, keptIn(req));
    const pictures = await keepPictures(ctx, req, res);
    const zone = await findTimeZone(ctx, user);
    const at = typed.do === "schedule" ? momentOf(typed.when, zone) : undefined;
    if (typed.do !== "save") await countVerb(ctx, req, res, "tweet");
    const charge = (points: number) => countVerb(ctx, req, res, "mention", points);
    await changeDraft(ctx, user, id, { ...inputOf(ctx, req, res, typed), pictures, at }, charge);
    if (typed.do === "send") res.redirect(303, `/tweets/${await sendDraft(ctx, user, id, charge)}`);
    else res.redirect(303, at === undefined ? `${draftsPath}/${id}?saved` : draftsPath);
  });
  router.post(`${draftsPath}/:id/send`, draftAgain, limitVerb(ctx, "tweet"), async (req, res) => {
    const { id: user } = requireViewer(res);
    const { id } = await getDraft(ctx, user, String(req.params["id"]));
    const charge = (points: number) => countVerb(ctx, req, res, "mention", points);
    res.redirect(303, `/tweets/${await sendDraft(ctx, user, id, charge)}`);
  });
  router.post(`${draftsPath}/:id/delete`, draftAgain, async (req, res) => {
    const { id: user } = requireViewer(res);
    await deleteDraft(ctx, user, (await getDraft(ctx, user, String(req.params["id"]))).id);
    res.redirect(303, saysDeleted(req, draftsPath));
  });
  return router;
}

async function showDrafts(ctx: Ctx, res: Response, problems?: Problems): Promise<void> {
  const { viewer, words } = requireReader(res);
  const [drafts, zone] = await Promise.all([
    listDrafts(ctx, viewer.id),
    findTimeZone(ctx, viewer.id),
  ]);
  res.render("drafts/index", {
    title: words.t("drafts.title"),
    drafts: drafts.map((draft) => presentDraft(words, draft, zone)),
    zone,
    zones: timeZones,
    form: showForm(words, zoneForm, {}, problems),
  });
}

/** The composer of a draft: as it is stored, or as it was typed, with its problems. */
async function showDraft(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems?: Problems,
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const draft = await getDraft(ctx, viewer.id, String(req.params["id"]));
  const zone = await findTimeZone(ctx, viewer.id);
  const form = draftForm(draft.id);
  const isTyped = problems !== undefined && req.path === form.action;
  const typed = { ...textsOf(req.body), uploads: keptIn(req).join(" ") };
  const values = isTyped ? typed : startOf(draft, zone);
  res.render("drafts/edit", {
    title: words.t("drafts.edit"),
    saved: "saved" in req.query ? words.t("drafts.saved") : undefined,
    problem: problems === undefined ? presentProblem(words, draft) : undefined,
    answeredUrl: draft.replyTo && `/tweets/${draft.replyTo}`,
    zoneHint: words.t("drafts.whenHint", { zone }),
    deleteUrl: `${form.action}/delete`,
    composer: showComposer(words, await composerOptions(ctx, viewer), values, problems, form),
  });
}
