import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { GrantRefused, Invalid } from "../../domain/errors.ts";
import type { Hub } from "../live/hub.ts";
import { answerNotFound } from "../request/errors.ts";
import { type CountingHandler, countVerb, limitRequests } from "../request/limits.ts";
import { isForMachines } from "../request/reader.ts";
import { refuseStrangersToApi } from "../request/site.ts";
import { siteOrigin } from "../server/send-public.ts";
import { authorize, bearer, refuseBadTokens } from "./bearer.ts";
import { apiBodies } from "./bodies.ts";
import type { ApiRequest, Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { readInput } from "./input.ts";
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

  router.use(routerOf(ctx, hub));
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
  if (req.method !== "OPTIONS") return next();
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

/** Mounts endpoints in their order. Each checks access, then its input, counts for its limit, and handles the request. */
function routerOf(ctx: Ctx, hub: Hub): Router {
  const router = Router();
  for (const one of endpoints) {
    const handlers = one.access === "anybody" ? [] : [refuseBadTokens];
    // "/api/v1/statuses/{id}" as Express spells it.
    const path = one.path.replaceAll(/\{(\w+)\}/g, ":$1");
    router[one.method](path, ...handlers, handlerOf(ctx, hub, one));
  }
  return router;
}

/** Input that does not fit the schemas counts for nothing but the limit of requests. */
function handlerOf(ctx: Ctx, hub: Hub, endpoint: Endpoint): CountingHandler {
  const { access, counts, names, handle } = endpoint;
  const handler: RequestHandler = async (req, res) => {
    const viewer = authorize(res, access);
    const { id, tag } = req.params;
    const request: ApiRequest = {
      ctx,
      hub,
      req,
      res,
      viewer,
      params: { id: String(id), tag: String(tag) },
      ...readInputs(endpoint, req),
      get site() {
        return siteOrigin(ctx, req);
      },
    };
    if (counts !== undefined) await countVerb(ctx, req, res, counts);
    try {
      send(res, await handle(request));
    } catch (error) {
      throw names !== undefined && error instanceof Invalid ? renamed(error, names) : error;
    }
  };
  return Object.assign(handler, { counts });
}

/** Some apps send a form's fields in the query. OAuth's secrets have no place there, and its errors have its words. */
function readInputs({ path, query, body }: Endpoint, raw: Pick<Request, "query" | "body">) {
  const isOAuth = path.startsWith("/oauth/");
  try {
    return {
      query: query && readInput(query, raw.query),
      body: body && readInput(body, isOAuth ? raw.body : withQuery(raw)),
    };
  } catch (error) {
    throw isOAuth && error instanceof Invalid ? new GrantRefused("invalid_request") : error;
  }
}

function withQuery({ query, body }: { query: object; body: unknown }): unknown {
  const isObject = typeof (body ?? {}) === "object" && !Array.isArray(body);
  return isObject ? { ...query, ...(body as object) } : body;
}

function renamed({ problems }: Invalid, names: NonNullable<Endpoint["names"]>): Invalid {
  const entries = Object.entries(problems).toReversed();
  return new Invalid(
    Object.fromEntries(entries.map(([field, problem]) => [names[field] ?? field, problem])),
  );
}

/** Texts are JSON already. */
function send(res: Response, answer: unknown): void {
  if (typeof answer === "string") res.type("json").send(answer);
  else if (answer !== undefined) res.json(answer);
}
