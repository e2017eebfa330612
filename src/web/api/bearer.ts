import type { RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden, Unauthenticated } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { viewerOf } from "../middleware/session.ts";

/** What a token allows. */
export interface Grant {
  user: UserId | undefined;
  scopes: string[];
}

/** Provisional: tokens live in this process alone. */
export const provisionalGrants = new Map<string, Grant>();

export function bearer(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const token = /^Bearer (.+)$/.exec(req.get("authorization") ?? "")?.[1];
    const grant = token === undefined ? undefined : provisionalGrants.get(token);
    if (token !== undefined && grant === undefined) throw new Unauthenticated("token");
    res.locals["token"] = grant;
    if (grant?.user !== undefined) res.locals["user"] = await findUser(ctx, grant.user);
    next();
  };
}

export function requireScope(res: Response, scope: string): User {
  const viewer = optionalScope(res, scope);
  if (viewer === undefined) throw new Unauthenticated("signed out");
  return viewer;
}

export function optionalScope(res: Response, scope: string): User | undefined {
  const grant = res.locals["token"] as Grant | undefined;
  if (grant === undefined) return undefined;
  const [verb = ""] = scope.split(":");
  if (!grant.scopes.includes(scope) && !grant.scopes.includes(verb)) throw new Forbidden("scope");
  return viewerOf(res);
}
