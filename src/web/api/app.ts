import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import { answerNotFound } from "../middleware/errors.ts";
import { appsApi } from "./apps.ts";
import { bearer, refuseBadTokens } from "./bearer.ts";
import { apiBodies } from "./bodies.ts";
import { crossOrigin } from "./cross-origin.ts";
import { limitRequests } from "./limits.ts";
import { oauthApi } from "./oauth.ts";
import { statusesApi } from "./statuses.ts";
import { timelinesApi } from "./timelines.ts";

const api = "/api";
const tokens = ["/oauth/token", "/oauth/revoke"];

/**
 * Mastodon's client API, for apps. It knows who is asking by their token and never by a cookie, so that
 * any site may hold an app: it stands before sessions and before what refuses other sites' forms.
 */
export function apiRoutes(ctx: Ctx): Router {
  const router = Router();
  router.use([api, ...tokens, "/.well-known", "/nodeinfo"], crossOrigin());
  router.use([api, ...tokens], keptByNobody);
  router.use(api, bearer(ctx));
  router.use([api, ...tokens], limitRequests(ctx));
  router.use(api, refuseBadTokens);
  router.use([api, ...tokens], ...apiBodies());

  router.use(appsApi(ctx));
  router.use(oauthApi(ctx));
  router.use(statusesApi(ctx));
  router.use(timelinesApi(ctx));

  router.use(api, answerNotFound);
  return router;
}

const keptByNobody: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  res.vary("Authorization");
  next();
};
