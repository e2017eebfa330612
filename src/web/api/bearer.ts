import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { isStored, openToken, type Grant } from "../../domain/apps/tokens.ts";
import { covers } from "../../domain/apps/scopes.ts";
import { type App, findApp } from "../../domain/apps/store.ts";
import { Forbidden, InvalidToken, OutOfScope, Unauthenticated } from "../../domain/errors.ts";
import { holdRight } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
import { viewerOf } from "../request/reader.ts";
import { wantsSocket } from "../server/upgrades.ts";
import type { Access } from "./endpoint.ts";

/**
 * Reads the app's token: `viewerOf` is then its user, and `grantOf` what the app may do. A token that is
 * unknown or expired is only noted here: `refuseBadTokens` refuses it where a token matters.
 */
export function bearer(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const token = tokenOf(req);
    if (token !== undefined) {
      const opened = await openToken(ctx, token);
      res.locals.token = opened?.grant;
      res.locals.user = opened?.user;
      res.locals.badToken = opened === undefined;
      if (opened !== undefined)
        holdRight(ctx, opened.user, {
          holder: `client:${opened.grant.app}`,
          isOpen: () => isStored(ctx, token),
        });
    }
    next();
  };
}

/** For endpoints that look at tokens; after the limits of requests, so that guesses are counted. Throws InvalidToken. */
export const refuseBadTokens: RequestHandler = (_req, res, next) => {
  next(res.locals.badToken === true ? new InvalidToken("token") : undefined);
};

/**
 * The token in the header. Otherwise only for streams, as browsers cannot send headers with these: as the protocol
 * of a WebSocket, or in the query. Addresses are kept in histories and in the logs of proxies.
 */
export function tokenOf(req: Request): string | undefined {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const [, token] = /^Bearer +(\S.*)$/i.exec(authorization) ?? [];
    return token?.trim();
  }
  if (!/^\/api\/v1\/streaming(\/|$)/i.test(req.baseUrl + req.path)) return undefined;
  const { "sec-websocket-protocol": protocol } = req.headers;
  if (protocol !== undefined && wantsSocket(req)) return protocol.split(",")[0]?.trim();
  const { access_token: token } = req.query;
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** What the app may do, if it has a token. */
export function grantOf(res: Response): Grant | undefined {
  return res.locals.token;
}

/** The user of the token, if there is one. Throws InvalidToken, Unauthenticated, Forbidden, OutOfScope. */
export function authorize(res: Response, access: Access): User | undefined {
  if (access === "anybody") return undefined;
  const grant = grantOf(res);
  const isForApps = access === "app" || access.by === "app";
  if (isForApps && grant === undefined) throw new InvalidToken("no token");
  if (access === "app") return undefined;
  if (isForApps && grant?.user !== undefined) throw new Forbidden("a user's token");
  const { scopes } = access;
  if (grant !== undefined && !scopes.some((scope) => covers(grant.scopes, scope)))
    throw new OutOfScope(scopes.join(" "));
  const viewer = viewerOf(res);
  if (viewer === undefined && !isForApps && access.optional !== true)
    throw new Unauthenticated("no user");
  return viewer;
}

/** The app whose token it is. Throws InvalidToken. */
export async function requireApp(ctx: Ctx, res: Response): Promise<App> {
  const grant = grantOf(res);
  const app = grant && (await findApp(ctx, grant.app));
  if (app === undefined) throw new InvalidToken("app");
  return app;
}
