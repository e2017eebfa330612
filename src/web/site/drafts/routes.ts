import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { answerProblem } from "../../../domain/actions/addressees.ts";
import {
  changeDraft,
  deleteDraft,
  notePictures,
  saveDraft,
} from "../../../domain/actions/save-draft.ts";
import { sendDraft } from "../../../domain/actions/send-draft.ts";
import { findFeedItem } from "../../../domain/feeds/thread.ts";
import { getDraft, isScheduled, listDrafts } from "../../../domain/tweets/saved-drafts.ts";
import {
  chooseTimeZone,
  findTimeZone,
  momentOf,
  timeZones,
} from "../../../domain/users/time-zone.ts";
import { choicesFor } from "../../layout/audience.ts";
import { readForm, sentenceFor, showForm, textsOf } from "../../layout/form.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { keepPictures, keptIn, receivePictures } from "../../request/pictures.ts";
import { onRefusal, refuseGone, type ShowForm } from "../../request/refusals.ts";
import { composerOptions, inputOf } from "../home/routes.ts";
import { ignoreGone, saysDeleted } from "../tweets/edit-routes.ts";
import { showComposer, tweetForm } from "../tweets/form.ts";
import { showAgain } from "../tweets/routes.ts";
import { answerableFor } from "../tweets/view.ts";
import { draftForm, draftsPath, presentDraft, presentProblem, startOf, zoneForm } from "./view.ts";

const goneDraft = "draft.gone";
const refused = refuseGone(goneDraft);

/** Tweets that wait: for their author, or for a time. */
export function draftPages(router: Router, ctx: Ctx): void {
  const limited = limitVerb(ctx, "draft");
  const draftOf = async (req: Request, res: Response) =>
    await getDraft(ctx, requireViewer(res).id, String(req.params["id"]));
  const showList: ShowForm = async (_req, res, problems) => {
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
  };
  /** The composer of a draft: as it is stored, or as it was typed, with its problems. */
  const showDraft: ShowForm = async (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    const draft = await draftOf(req, res);
    const [zone, unanswerable] = await Promise.all([
      findTimeZone(ctx, viewer.id),
      answerProblem(ctx, viewer.id, draft.replyTo),
    ]);
    const form = draftForm(draft.id);
    const answers = unanswerable === undefined ? draft.replyTo : undefined;
    const item = answers && (await findFeedItem(ctx, viewer, answers));
    const answered = item && (await answerableFor(ctx, viewer, item.tweet));
    const options = await composerOptions(ctx, viewer, choicesFor(viewer, answered));
    const isRefused = req.method === "POST";
    const typed = { ...textsOf(req.body), uploads: keptIn(req).join(" ") };
    const start: Record<string, string | undefined> =
      isRefused && req.path === form.action ? typed : startOf(draft, zone);
    // What it would answer is gone: it becomes a tweet of its own, and for everyone only if the author says so.
    const alone = { ...start, reply_to: undefined, audience: start["audience"] ?? "mentioned" };
    const values: typeof start = unanswerable === undefined ? start : alone;
    values["seen"] = String(draft.savedAt);
    const reason = problems["form"] === unanswerable ? undefined : unanswerable;
    const notSent = isRefused ? undefined : presentProblem(words, draft);
    res.render("drafts/edit", {
      title: words.t("drafts.edit"),
      saved: "saved" in req.query ? words.t("drafts.saved") : undefined,
      problem: notSent ?? (reason && sentenceFor(words, reason)),
      answeredUrl: values["reply_to"] && `/tweets/${values["reply_to"]}`,
      sendLabel: words.t(unanswerable === undefined ? "drafts.send" : "drafts.sendAlone"),
      zoneHint: words.t("drafts.whenHint", { zone }),
      deleteUrl: `${form.action}/delete`,
      composer: showComposer(words, options, values, problems, form),
    });
  };
  const composeAgain = onRefusal((req, res, problems) => showAgain(ctx, req, res, problems));
  /** A draft that is gone gives what was typed to the composer of a new tweet. */
  const draftAgain = onRefusal(async (req, res, problems) => {
    const draft = await draftOf(req, res).catch(ignoreGone);
    await (draft ? showDraft(req, res, problems) : showAgain(ctx, req, res, problems));
  });

  router.get(draftsPath, (req, res) => showList(req, res, {}));
  router.post(draftsPath, composeAgain, receivePictures(), limited, async (req, res) => {
    const { id: user } = requireViewer(res);
    const typed = readForm(tweetForm, req.body);
    const pictures = await keepPictures(ctx, req, res);
    const input = inputOf(ctx, res, typed, "draft");
    const { id } = await saveDraft(ctx, user, { ...input, pictures }, typed);
    res.redirect(303, `${draftsPath}/${id}?saved`);
  });
  router.post(zoneForm.action, onRefusal(showList), limited, async (req, res) => {
    await chooseTimeZone(ctx, requireViewer(res).id, readForm(zoneForm, req.body).zone);
    res.redirect(303, draftsPath);
  });

  router.get(`${draftsPath}/:id`, (req, res) => showDraft(req, res, {}));
  router.post(`${draftsPath}/:id`, draftAgain, receivePictures(), limited, async (req, res) => {
    const { id: user } = requireViewer(res);
    const draft = await draftOf(req, res).catch(refused);
    const { id } = draft;
    const typed = readForm(draftForm(id), req.body);
    await notePictures(ctx, user, keptIn(req));
    const pictures = await keepPictures(ctx, req, res);
    const zone = await findTimeZone(ctx, user);
    // One that waits for its time keeps it when it is saved, unless the time is taken out.
    const isKept = typed.do === "save" && typed.when !== "" && isScheduled(draft);
    const at = typed.do === "schedule" || isKept ? momentOf(typed.when, zone) : undefined;
    if (typed.do !== "save") await countVerb(ctx, req, res, "tweet");
    const charge = (points: number) => countVerb(ctx, req, res, "mention", points);
    const input = inputOf(ctx, res, typed, "draft");
    // The form has no fields for these two, which an app may have chosen.
    const { language, poll: asked } = draft;
    const poll = input.poll && { ...input.poll, secret: asked?.secret };
    const change = { ...input, language, poll, pictures, at };
    await changeDraft(ctx, user, id, change, { seen: typed.seen, charge }).catch(refused);
    if (typed.do === "send") res.redirect(303, `/tweets/${await sendDraft(ctx, user, id, charge)}`);
    else res.redirect(303, typed.do === "save" ? `${draftsPath}/${id}?saved` : draftsPath);
  });
  router.post(`${draftsPath}/:id/send`, draftAgain, limitVerb(ctx, "tweet"), async (req, res) => {
    const { id: user } = requireViewer(res);
    const { id } = await draftOf(req, res);
    const charge = (points: number) => countVerb(ctx, req, res, "mention", points);
    res.redirect(303, `/tweets/${await sendDraft(ctx, user, id, charge)}`);
  });
  router.post(`${draftsPath}/:id/delete`, draftAgain, async (req, res) => {
    await deleteDraft(ctx, requireViewer(res).id, (await draftOf(req, res)).id);
    res.redirect(303, saysDeleted(req, draftsPath));
  });
}
