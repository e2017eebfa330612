import type { RequestHandler, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { allowApp, consentFor, findRequestingApp } from "../../../domain/apps/authorize.ts";
import { outOfBand, type App } from "../../../domain/apps/store.ts";
import { type Authorization, authorizeAction, readAuthorization } from "./form.ts";
import { textsOf } from "../../layout/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader, viewerOf } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { letFormsLeadTo } from "../../request/security.ts";
import { type AppAnswer, presentAnswer, presentConsent, withLogIn } from "./view.ts";

/** Pages on which users authorize an app. */
export function authorizePages(router: Router, ctx: Ctx, secret: string): void {
  const { isProven } = confirmation(ctx, secret);

  const ask = ofKnownApp(ctx, (res, app, wanted) => {
    const consent = consentOf(app, wanted);
    if (typeof consent === "string") showInvalidRequest(res, app, wanted, consent);
    else if (viewerOf(res) === undefined || wanted.forced) res.redirect(303, withLogIn(wanted));
    else res.render("oauth/authorize", presentConsent(requireReader(res), app, wanted, consent));
  });

  const decide = ofKnownApp(ctx, async (res, app, wanted) => {
    const consent = consentOf(app, wanted);
    const viewer = viewerOf(res);
    const { decision } = textsOf(res.req.body);
    if (typeof consent === "string") answerApp(res, app, wanted, { error: consent });
    else if (viewer === undefined) res.redirect(303, withLogIn(wanted));
    else if (decision === "allow") {
      // Here and not before: the page that asks leads to the app's address, too.
      if (!(await isProven(res.req, res))) return;
      const { id: user, generation } = viewer;
      const code = await allowApp(ctx, { user, generation }, consent);
      answerApp(res, app, wanted, { code });
    } else if (decision === "deny") answerApp(res, app, wanted, { error: "access_denied" });
    else {
      const view = presentConsent(requireReader(res), app, wanted, consent);
      res.status(422).render("oauth/authorize", view);
    }
  });

  router.get(authorizeAction, ask);
  router.post(authorizeAction, limitVerb(ctx, "allowApp"), decide);
}

/** Shows an error page if the client id or the redirect URI of the app is unknown. */
function ofKnownApp(
  ctx: Ctx,
  answer: (res: Response, app: App, wanted: Authorization) => Promise<void> | void,
): RequestHandler {
  return async (req, res) => {
    const wanted = readAuthorization(req.method === "POST" ? req.body : req.query);
    const app = await findRequestingApp(ctx, wanted.request);
    if (app === undefined)
      return res.status(400).render("oauth/refused", { title: res.locals.words.t("apps.refused") });
    letFormsLeadTo(res, wanted.request.redirectUri);
    await answer(res, app, wanted);
  };
}

/** The consent to ask for, or an OAuth error code if the request is invalid. */
function consentOf(app: App, wanted: Authorization): ReturnType<typeof consentFor> {
  return wanted.malformed ? "invalid_request" : consentFor(app, wanted.request);
}

/**
 * Anyone can register an app, so a user who has only followed a link is not redirected to its address.
 * The page has a link instead (RFC 9700, 4.11.2).
 */
function showInvalidRequest(res: Response, app: App, wanted: Authorization, error: string): void {
  const isAway = wanted.request.redirectUri !== outOfBand;
  const back = isAway ? appAddress(wanted, { error }) : undefined;
  res.status(400).render("oauth/code", presentAnswer(res.locals.words, app, { error }, back));
}

/** Redirects to the app's address, or shows a page if it has none. */
function answerApp(res: Response, app: App, wanted: Authorization, answer: AppAnswer): void {
  if (wanted.request.redirectUri === outOfBand)
    res.render("oauth/code", presentAnswer(res.locals.words, app, answer));
  else res.redirect(303, appAddress(wanted, answer));
}

/** The app's redirect URI, with the answer in it. */
function appAddress({ request: { redirectUri }, state }: Authorization, answer: AppAnswer): string {
  const parameters = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = parameters.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  // Appended as text: the registered URI must stay the same to the letter.
  const mark = redirectUri.includes("?") ? "&" : "?";
  return `${redirectUri}${mark}${query}`;
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
