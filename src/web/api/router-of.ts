import { type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { User } from "../../domain/users/store.ts";
import { optionalScope, requireApp, requireOwnScope, requireScope } from "./bearer.ts";
import type { Access, Endpoint } from "./endpoint.ts";
import { readInput } from "./input.ts";

/** Mounts endpoints in their order. Each checks access first, then its input, then handles the request. */
export function routerOf(ctx: Ctx, endpoints: readonly Endpoint[]): Router {
  const router = Router();
  for (const one of endpoints) {
    const handlers = [...(one.before?.(ctx) ?? []), handlerOf(ctx, one)];
    router[one.method](routeOf(one.path), ...handlers);
  }
  return router;
}

/** "/api/v1/statuses/{id}" as Express spells it. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function handlerOf(ctx: Ctx, { access, query, body, handle }: Endpoint): RequestHandler {
  return async (req, res) => {
    const viewer = admit(res, access);
    await handle({
      ctx,
      req,
      res,
      viewer,
      query: query && readInput(query, req.query),
      body: body && readInput(body, req.body),
    });
  };
}

/** Throws InvalidToken, Unauthenticated, Forbidden, OutOfScope. */
function admit(res: Response, access: Access): User | undefined {
  if (access === "anybody") return undefined;
  if (access === "app") {
    requireApp(res);
    return undefined;
  }
  const { scope, or = [], optional, by } = access;
  if (by === "app") {
    requireOwnScope(res, scope);
    return undefined;
  }
  return optional ? optionalScope(res, scope, ...or) : requireScope(res, scope, ...or);
}
