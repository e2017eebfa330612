import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { allowApp, consentFor, findAsking } from "../../domain/apps/authorize.ts";
import type { Consent } from "../../domain/apps/codes.ts";
import { outOfBand } from "../../domain/apps/redirect-uris.ts";
import type { App } from "../../domain/apps/store.ts";
import { type Authorization, authorizeAction, readAuthorization } from "../forms/authorize.ts";
import { textsOf } from "../forms/form.ts";
import { letFormsLeadTo } from "../middleware/security.ts";
import { viewerOf } from "../middleware/session.ts";
import { presentConsent, withLogIn } from "../present/consent.ts";

/** Where an app sends people to let it in. */
export function authorizePages(ctx: Ctx): Router {
  const router = Router();

  router.get(authorizeAction, async (req, res) => {
    const wanted = readAuthorization(req.query);
    const app = await provenApp(ctx, res, wanted);
    if (app === undefined) return;
    const consent = consentOf(res, app, wanted);
    if (consent === undefined) return;
    if (viewerOf(res) === undefined || wanted.forced) res.redirect(303, withLogIn(wanted));
    else showConsent(res, app, wanted, consent);
  });

  router.post(authorizeAction, async (req, res) => {
    const wanted = readAuthorization(req.body);
    const app = await provenApp(ctx, res, wanted);
    if (app === undefined) return;
    const consent = consentOf(res, app, wanted);
    if (consent === undefined) return;
    const viewer = viewerOf(res);
    const { decision } = textsOf(req.body);
    if (viewer === undefined) res.redirect(303, withLogIn(wanted));
    else if (decision === "allow")
      answerApp(res, app, wanted, { code: await allowApp(ctx, viewer.id, consent) });
    else if (decision === "deny") answerApp(res, app, wanted, { error: "access_denied" });
    else showConsent(res.status(422), app, wanted, consent);
  });

  return router;
}

/** Undefined, and answered with a page, if nobody knows to whom the address of the request belongs. */
async function provenApp(
  ctx: Ctx,
  res: Response,
  { asked }: Authorization,
): Promise<App | undefined> {
  const app = await findAsking(ctx, asked);
  if (app === undefined) {
    const page = { title: "This app cannot be let in · Suzume", path: authorizeAction };
    res.status(400).render("oauth/refused", { page });
    return undefined;
  }
  letFormsLeadTo(res, asked.redirectUri);
  return app;
}

/** Undefined, and answered to the app, if what it asks for cannot be. */
function consentOf(res: Response, app: App, wanted: Authorization): Consent | undefined {
  const consent = wanted.malformed ? "invalid_request" : consentFor(app, wanted.asked);
  if (typeof consent !== "string") return consent;
  answerApp(res, app, wanted, { error: consent });
  return undefined;
}

function showConsent(res: Response, app: App, wanted: Authorization, consent: Consent): void {
  res.render("oauth/authorize", {
    page: { title: `Let ${app.name} in? · Suzume`, path: authorizeAction },
    ...presentConsent(app, wanted, consent),
  });
}

/** To its address, or on a page for an app that has none. */
function answerApp(
  res: Response,
  app: App,
  { asked, state }: Authorization,
  answer: { code: string } | { error: string },
): void {
  if (asked.redirectUri === outOfBand) {
    const page = { title: `${app.name} · Suzume`, path: authorizeAction };
    res.render("oauth/code", { page, app: app.name, ...answer });
    return;
  }
  const parameters = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = parameters.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  // Added by hand: what the app registered comes back letter by letter.
  const mark = asked.redirectUri.includes("?") ? "&" : "?";
  res.redirect(303, `${asked.redirectUri}${mark}${query}`);
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
