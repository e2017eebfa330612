import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { GrantRefused, Invalid } from "../../domain/errors.ts";
import type { Hub } from "../live/hub.ts";
import { countVerb, type CountingHandler } from "../request/limits.ts";
import { siteOrigin } from "../server/send-public.ts";
import { authorize, refuseBadTokens } from "./bearer.ts";
import type { ApiRequest, Endpoint } from "./endpoint.ts";
import { readInput } from "./input.ts";

/** Mounts endpoints in their order. Each checks access, then its input, counts for its limit, and handles the request. */
export function routerOf(ctx: Ctx, hub: Hub, endpoints: readonly Endpoint[]): Router {
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
