import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Hub } from "../live/hub.ts";
import { answerNotFound } from "../request/errors.ts";
import { limitRequests } from "../request/limits.ts";
import { refuseStrangersToApi } from "../request/site.ts";
import { isForMachines } from "../layout/api-error.ts";
import { bearer } from "./bearer.ts";
import { apiBodies } from "./bodies.ts";
import { endpoints } from "./endpoints.ts";
import { routerOf } from "./router-of.ts";
import { wellKnownApi } from "./well-known.ts";

const api = "/api";
const tokens = ["/oauth/token", "/oauth/revoke", "/oauth/userinfo"];

/**
 * Mastodon's client API, for apps. Only a token identifies the viewer, never a cookie, so that an app may
 * run on any site: mounted before sessions and before what refuses other sites' forms.
 */
export function apiRoutes(ctx: Ctx, hub: Hub): Router {
  const router = Router();
  router.use(passPages);
  router.use([api, ...tokens, "/.well-known", "/nodeinfo"], allowAnyOrigin);
  router.use([api, ...tokens], keptByNobody);
  router.use([api, "/oauth/userinfo"], bearer(ctx));
  router.use([api, ...tokens], limitRequests(ctx));
  router.use(refuseStrangersToApi);
  router.use([api, ...tokens], apiBodies());

  router.use(routerOf(ctx, hub, endpoints));
  router.use(wellKnownApi(ctx));

  router.use(api, answerNotFound);
  return router;
}

/** Matching a page's path against every endpoint would cost a fiftieth of home. */
const passPages: RequestHandler = (req, _res, next) => {
  next(isForMachines(req.path) ? undefined : "router");
};

const forAll = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After",
};

const forPreflights = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Max-Age": "7200",
};

/** Apps in browsers may call from any site: answers depend on the token, never on a cookie. */
const allowAnyOrigin: RequestHandler = (req, res, next) => {
  res.set(forAll);
  if (req.method !== "OPTIONS") {
    next();
    return;
  }
  // A star would not stand for Authorization, which is what matters.
  const headers = req.get("access-control-request-headers");
  if (headers !== undefined) res.set("Access-Control-Allow-Headers", headers);
  res.vary("Access-Control-Request-Headers");
  res.set(forPreflights).status(204).end();
};

const keptByNobody: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  res.vary("Authorization");
  next();
};
