import type { RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";
import { isAdmin, isModerator } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key } from "../languages/translator.ts";
import { textsOf } from "../layout/form.ts";
import { requireViewer } from "./reader.ts";

type Method = "GET" | "POST";

/** What moderators may do below /admin, by path. All else there is for admins. */
const forModerators: Readonly<Record<string, readonly Method[]>> = {
  "/admin": ["GET"],
  "/admin/reports": ["GET", "POST"],
  "/admin/suspended": ["GET", "POST"],
  "/admin/people": ["GET"],
  "/admin/people/:name": ["GET"],
  "/admin/requests": ["GET"],
  "/admin/audit": ["GET"],
};

/** Whether the user may do this below /admin. A path that is written in an unusual way is for admins. */
export function mayDo(ctx: Ctx, user: User, method: string, path: string): boolean {
  if (isAdmin(ctx, user)) return true;
  if (!isModerator(ctx, user)) return false;
  const plain = path.toLowerCase().replace(/\/+$/, "");
  const page = plain.replace(/^(\/admin\/people)\/\w+$/, "$1/:name");
  const methods = Object.hasOwn(forModerators, page) ? forModerators[page] : [];
  return methods?.some((one) => one === (method === "HEAD" ? "GET" : method)) === true;
}

/** Use before all routes below /admin. Throws Unauthenticated, Forbidden. */
export function guardAdminArea(ctx: Ctx): RequestHandler {
  return (req, res, next) => {
    const isAllowed = mayDo(ctx, requireViewer(res), req.method, `${req.baseUrl}${req.path}`);
    const { words } = res.locals;
    const done = `moderation.done.${textsOf(req.query)["done"] as Outcome}` as const;
    res.locals.outcome = Object.hasOwn(words.messages, done) ? words.t(done) : undefined;
    next(isAllowed ? undefined : new Forbidden("not for this role"));
  };
}

type NameOf<AnyKey> = AnyKey extends `moderation.done.${infer Name}` ? Name : never;
/** What was done, by the message that says so. */
type Outcome = NameOf<Key>;

/** Leads back to a page below /admin, which then says what has been done. */
export function leadBack(res: Response, path: string, outcome: Outcome): void {
  res.redirect(303, `${path}?done=${outcome}`);
}
