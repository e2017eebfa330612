import { type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
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
    if (one.before !== undefined) handlers.push(one.before(ctx));
    // "/api/v1/statuses/{id}" as Express spells it.
    const path = one.path.replaceAll(/\{(\w+)\}/g, ":$1");
    router[one.method](path, ...handlers, handlerOf(ctx, hub, one));
  }
  return router;
}

/** Input that does not fit the schemas counts for nothing but the limit of requests. */
function handlerOf(ctx: Ctx, hub: Hub, endpoint: Endpoint): CountingHandler {
  const { access, counts, handle } = endpoint;
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
    send(res, await handle(request));
  };
  return Object.assign(handler, { counts });
}

function readInputs(
  { path, query, body, malformed }: Pick<Endpoint, "path" | "query" | "body" | "malformed">,
  raw: { query: unknown; body: unknown },
): { query: unknown; body: unknown } {
  try {
    return {
      query: query && readInput(query, raw.query),
      // Some apps send a form's fields in the query; secrets of OAuth have no place there.
      body: body && readInput(body, path.startsWith("/api/") ? withQuery(raw) : raw.body),
    };
  } catch (error) {
    throw malformed !== undefined && error instanceof Invalid ? malformed() : error;
  }
}

function withQuery({ query, body }: { query: unknown; body: unknown }): unknown {
  if (body === undefined || body === null) return query;
  if (typeof body !== "object" || Array.isArray(body)) return body;
  return { ...(query as object), ...body };
}

/** Texts are JSON already. */
function send(res: Response, answer: unknown): void {
  if (typeof answer === "string") res.type("json").send(answer);
  else if (answer !== undefined) res.json(answer);
}
