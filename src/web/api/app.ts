import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Hub } from "../live/hub.ts";
import { answerNotFound } from "../middleware/errors.ts";
import { limitRequests } from "../middleware/limits.ts";
import { accountStatusesApi } from "./account-statuses.ts";
import { accountsApi } from "./accounts.ts";
import { appsApi } from "./apps.ts";
import { bearer, refuseBadTokens } from "./bearer.ts";
import { apiBodies } from "./bodies.ts";
import { composeApi } from "./compose.ts";
import { credentialsApi } from "./credentials.ts";
import { crossOrigin } from "./cross-origin.ts";
import { instanceApi } from "./instance.ts";
import { markersApi } from "./markers.ts";
import { nodeInfo } from "./nodeinfo.ts";
import { nothingApi } from "./unsupported.ts";
import { notificationsApi } from "./notifications.ts";
import { oauthApi } from "./oauth.ts";
import { openApi } from "./openapi.ts";
import { isForMachines } from "../present/api-error.ts";
import { reactionsApi } from "./reactions.ts";
import { registrationsApi } from "./registrations.ts";
import { relationshipsApi } from "./relationships.ts";
import { reportsApi } from "./reports.ts";
import { searchApi } from "./search.ts";
import { statusesApi } from "./statuses.ts";
import { streamingApi } from "./streaming.ts";
import { suggestionsApi } from "./suggestions.ts";
import { timelinesApi } from "./timelines.ts";
import { trendsApi } from "./trends.ts";

const api = "/api";
const tokens = ["/oauth/token", "/oauth/revoke"];

/**
 * Mastodon's client API, for apps. It knows who is asking by their token and never by a cookie, so that
 * any site may hold an app: it stands before sessions and before what refuses other sites' forms.
 */
export function apiRoutes(ctx: Ctx, hub: Hub): Router {
  const router = Router();
  router.use(passPages);
  router.use([api, ...tokens, "/.well-known", "/nodeinfo"], crossOrigin());
  router.use([api, ...tokens], keptByNobody);
  router.use(api, bearer(ctx));
  router.use([api, ...tokens], limitRequests(ctx));
  router.use(api, refuseBadTokens);
  router.use([api, ...tokens], ...apiBodies());

  // What is asked for most need not pass all the others.
  router.use(timelinesApi(ctx));
  router.use(accountStatusesApi(ctx));
  router.use(accountsApi(ctx));
  router.use(appsApi(ctx));
  router.use(composeApi(ctx));
  router.use(credentialsApi(ctx));
  router.use(instanceApi(ctx));
  router.use(markersApi(ctx));
  router.use(nodeInfo(ctx));
  router.use(nothingApi(ctx));
  router.use(notificationsApi(ctx));
  router.use(oauthApi(ctx));
  router.use(openApi(ctx));
  router.use(reactionsApi(ctx));
  router.use(registrationsApi(ctx));
  router.use(relationshipsApi(ctx));
  router.use(reportsApi(ctx));
  router.use(searchApi(ctx));
  router.use(statusesApi(ctx));
  router.use(streamingApi(ctx, hub));
  router.use(suggestionsApi(ctx));
  router.use(trendsApi(ctx));

  router.use(api, answerNotFound);
  return router;
}

/** A page would be compared with all of the doors in here: a fiftieth of what home costs. */
const passPages: RequestHandler = (req, _res, next) => {
  next(isForMachines(req.path) ? undefined : "router");
};

const keptByNobody: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  res.vary("Authorization");
  next();
};
