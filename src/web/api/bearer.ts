import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { openToken } from "../../domain/apps/open-token.ts";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import type { Grant } from "../../domain/apps/tokens.ts";
import { InvalidToken, OutOfScope, Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import { viewerOf } from "../middleware/session.ts";

/**
 * Finds out who is asking, by the token of the app through which they ask: `viewerOf` tells the person,
 * `grantOf` what they let the app do. Without a token nobody is asking; for a token that lets nobody in,
 * see refuseBadTokens.
 */
export function bearer(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const token = tokenOf(req);
    if (token !== undefined) {
      const opened = await openToken(ctx, token);
      res.locals["token"] = opened?.grant;
      res.locals["user"] = opened?.user;
      res.locals["badToken"] = opened === undefined;
    }
    next();
  };
}

/** Apart from `bearer`, so that what guesses tokens is counted as well. Throws InvalidToken. */
export const refuseBadTokens: RequestHandler = (_req, res, next) => {
  next(res.locals["badToken"] === true ? new InvalidToken("token") : undefined);
};

/**
 * As a header; in the address only for streams, as browsers cannot send headers with these. Addresses
 * are kept in histories and in the logs of proxies.
 */
export function tokenOf(req: Request): string | undefined {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const [, token] = /^Bearer +(\S.*)$/i.exec(authorization) ?? [];
    return token?.trim();
  }
  if (!/^\/api\/v1\/streaming(\/|$)/i.test(req.baseUrl + req.path)) return undefined;
  const { access_token: token } = req.query;
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** What the app may do that asks, if it shows a token. */
export function grantOf(res: Response): Grant | undefined {
  return res.locals["token"] as Grant | undefined;
}

/** Any app that shows a token, its own or somebody's. Throws InvalidToken. */
export function requireApp(res: Response): Grant {
  const grant = grantOf(res);
  if (grant === undefined) throw new InvalidToken("no token");
  return grant;
}

/**
 * The person for whom the app acts; the app may do one of `scopes` for them. Throws Unauthenticated
 * without a person, OutOfScope.
 */
export function requireScope(res: Response, ...scopes: [Scope, ...Scope[]]): User {
  const user = optionalScope(res, ...scopes);
  if (user === undefined) throw new Unauthenticated("no user");
  return user;
}

/** The same where nobody needs to be signed in: undefined then. Throws OutOfScope. */
export function optionalScope(res: Response, ...scopes: [Scope, ...Scope[]]): User | undefined {
  const grant = grantOf(res);
  if (grant !== undefined && !scopes.some((scope) => covers(grant.scopes, scope)))
    throw new OutOfScope(scopes.join(" "));
  return viewerOf(res);
}
