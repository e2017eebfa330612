import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { allowApp, consentFor, findRequestingApp } from "../../domain/apps/authorize.ts";
import type { Consent } from "../../domain/apps/codes.ts";
import { outOfBand } from "../../domain/apps/redirect-uris.ts";
import type { App } from "../../domain/apps/store.ts";
import { type Authorization, authorizeAction, readAuthorization } from "../forms/authorize.ts";
import { textsOf } from "../forms/form.ts";
import type { Key } from "../languages/translator.ts";
import { requireReader, wordsOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { letFormsLeadTo } from "../middleware/security.ts";
import { viewerOf } from "../middleware/session.ts";
import { presentConsent, withLogIn } from "../present/consent.ts";
import { presentName } from "../present/people.ts";

/** Pages on which users authorize an app. */
export function authorizePages(ctx: Ctx): Router {
  const router = Router();

  router.get(authorizeAction, async (req, res) => {
    const wanted = readAuthorization(req.query);
    const app = await provenApp(ctx, res, wanted);
    if (app === undefined) return;
    const consent = consentOf(app, wanted);
    if (typeof consent === "string") showInvalidRequest(res, app, wanted, consent);
    else if (viewerOf(res) === undefined || wanted.forced) res.redirect(303, withLogIn(wanted));
    else showConsent(res, app, wanted, consent);
  });

  router.post(authorizeAction, limitAct(ctx, "tokens"), async (req, res) => {
    const wanted = readAuthorization(req.body);
    const app = await provenApp(ctx, res, wanted);
    if (app === undefined) return;
    const consent = consentOf(app, wanted);
    if (typeof consent === "string") {
      answerApp(res, app, wanted, { error: consent });
      return;
    }
    const viewer = viewerOf(res);
    const { decision } = textsOf(req.body);
    if (viewer === undefined) res.redirect(303, withLogIn(wanted));
    else if (decision === "allow") {
      const { id: user, generation } = viewer;
      const code = await allowApp(ctx, { user, generation }, consent);
      answerApp(res, app, wanted, { code });
    } else if (decision === "deny") answerApp(res, app, wanted, { error: "access_denied" });
    else showConsent(res.status(422), app, wanted, consent);
  });

  return router;
}

/**
 * The app that may ask. If its client id or redirect URI is unknown, answers with an error page and
 * returns undefined.
 */
async function provenApp(
  ctx: Ctx,
  res: Response,
  { asked }: Authorization,
): Promise<App | undefined> {
  const app = await findRequestingApp(ctx, asked);
  if (app === undefined) {
    const page = { title: `${wordsOf(res).t("apps.refused")} · Suzume`, path: authorizeAction };
    res.status(400).render("oauth/refused", { page });
    return undefined;
  }
  letFormsLeadTo(res, asked.redirectUri);
  return app;
}

/** The consent to ask for, or an OAuth error code if the request is invalid. */
function consentOf(app: App, wanted: Authorization): ReturnType<typeof consentFor> {
  return wanted.malformed ? "invalid_request" : consentFor(app, wanted.asked);
}

/**
 * Anyone can register an app, so a user who has only followed a link is not redirected to its address.
 * The page has a link instead (RFC 9700, 4.11.2).
 */
function showInvalidRequest(res: Response, app: App, wanted: Authorization, error: string): void {
  const isAway = wanted.asked.redirectUri !== outOfBand;
  const back = isAway ? appAddress(wanted, { error }) : undefined;
  showAnswer(res.status(400), app, { error, back });
}

function showConsent(res: Response, app: App, wanted: Authorization, consent: Consent): void {
  const { viewer, words } = requireReader(res);
  const title = words.t("apps.letIn", { app: app.name });
  res.render("oauth/authorize", {
    page: { title: `${title} · Suzume`, path: authorizeAction },
    person: words.pieces("apps.youAre", { person: { person: presentName(viewer) } }),
    ...presentConsent(words, app, wanted, consent),
  });
}

/** Redirects to the app's address, or shows a page if it has none. */
function answerApp(
  res: Response,
  app: App,
  wanted: Authorization,
  answer: { code: string } | { error: string },
): void {
  if (wanted.asked.redirectUri === outOfBand) showAnswer(res, app, answer);
  else res.redirect(303, appAddress(wanted, answer));
}

function showAnswer(
  res: Response,
  app: App,
  answer: { code: string } | { error: string; back?: string | undefined },
): void {
  res.render("oauth/code", {
    page: { title: `${app.name} · Suzume`, path: authorizeAction },
    ...answer,
    sentence: wordsOf(res).pieces(sentenceFor(answer), { app: { name: app.name } }),
  });
}

/** The app's redirect URI, with the answer in it. */
function appAddress(
  { asked, state }: Authorization,
  answer: { code: string } | { error: string },
): string {
  const parameters = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = parameters.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  // Appended as text: the registered URI must stay the same to the letter.
  const mark = asked.redirectUri.includes("?") ? "&" : "?";
  return `${asked.redirectUri}${mark}${query}`;
}

function sentenceFor(answer: { code: string } | { error: string }): Key {
  if ("code" in answer) return "apps.copyCode";
  return answer.error === "access_denied" ? "apps.denied" : "apps.impossible";
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
