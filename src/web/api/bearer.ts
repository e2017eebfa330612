import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { openToken, type Grant } from "../../domain/apps/tokens.ts";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Forbidden, InvalidToken, OutOfScope, Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import { viewerOf } from "../middleware/session.ts";

/**
 * Reads the app's token: `viewerOf` is then its user, and `grantOf` what the app may do. A token that is
 * unknown or expired is only noted here; refuseBadTokens refuses it.
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

/** Apart from `bearer`, so that guesses at tokens are counted too. Throws InvalidToken. */
export const refuseBadTokens: RequestHandler = (_req, res, next) => {
  next(res.locals["badToken"] === true ? new InvalidToken("token") : undefined);
};

/**
 * The token in the header. In the query only for streams, as browsers cannot send headers with these:
 * addresses are kept in histories and in the logs of proxies.
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

/** What the app may do, if it has a token. */
export function grantOf(res: Response): Grant | undefined {
  return res.locals["token"] as Grant | undefined;
}

/** Any app with a token, its own or a user's. Throws InvalidToken. */
export function requireApp(res: Response): Grant {
  const grant = grantOf(res);
  if (grant === undefined) throw new InvalidToken("no token");
  return grant;
}

/** An app's own token with `scope`: no user has authorized it. Throws InvalidToken, Forbidden, OutOfScope. */
export function requireOwnScope(res: Response, scope: Scope): Grant {
  const grant = requireApp(res);
  if (grant.user !== undefined) throw new Forbidden("a user's token");
  if (!covers(grant.scopes, scope)) throw new OutOfScope(scope);
  return grant;
}

/** The user whose token has one of `scopes`. Throws Unauthenticated without a user, OutOfScope. */
export function requireScope(res: Response, ...scopes: [Scope, ...Scope[]]): User {
  const user = optionalScope(res, ...scopes);
  if (user === undefined) throw new Unauthenticated("no user");
  return user;
}

/** The same where a token is optional: undefined without one. Throws OutOfScope. */
export function optionalScope(res: Response, ...scopes: [Scope, ...Scope[]]): User | undefined {
  const grant = grantOf(res);
  if (grant !== undefined && !scopes.some((scope) => covers(grant.scopes, scope)))
    throw new OutOfScope(scopes.join(" "));
  return viewerOf(res);
}
