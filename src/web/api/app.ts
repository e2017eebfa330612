import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Hub } from "../live/hub.ts";
import { answerNotFound } from "../middleware/errors.ts";
import { limitRequests } from "../middleware/limits.ts";
import { refuseStrangersToApi } from "../middleware/site.ts";
import { bearer, refuseBadTokens } from "./bearer.ts";
import { apiBodies } from "./bodies.ts";
import { crossOrigin } from "./cross-origin.ts";
import { endpoints } from "./endpoints.ts";
import { nodeInfo } from "./nodeinfo.ts";
import { oauthApi } from "./oauth.ts";
import { isForMachines } from "../present/api-error.ts";
import { routerOf } from "./router-of.ts";
import { streamingApi } from "./streaming.ts";

const api = "/api";
const tokens = ["/oauth/token", "/oauth/revoke"];

/**
 * Mastodon's client API, for apps. Only a token identifies the viewer, never a cookie, so that an app may
 * run on any site: mounted before sessions and before what refuses other sites' forms.
 */
export function apiRoutes(ctx: Ctx, hub: Hub): Router {
  const router = Router();
  router.use(passPages);
  router.use([api, ...tokens, "/.well-known", "/nodeinfo"], crossOrigin());
  router.use([api, ...tokens], keptByNobody);
  router.use(api, bearer(ctx));
  router.use([api, ...tokens], limitRequests(ctx));
  router.use(api, refuseBadTokens);
  router.use(refuseStrangersToApi);
  router.use([api, ...tokens], ...apiBodies());

  router.use(routerOf(ctx, endpoints));
  router.use(nodeInfo(ctx));
  router.use(oauthApi(ctx));
  router.use(streamingApi(ctx, hub));

  router.use(api, answerNotFound);
  return router;
}

/** Matching a page's path against every endpoint would cost a fiftieth of home. */
const passPages: RequestHandler = (req, _res, next) => {
  next(isForMachines(req.path) ? undefined : "router");
};

const keptByNobody: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  res.vary("Authorization");
  next();
};
