import type { RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";
import { isAdmin, isModerator } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
import { textsOf } from "../layout/form.ts";
import { requireViewer } from "./session.ts";

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
    const outcome = outcomes.find((one) => one === textsOf(req.query)["done"]);
    res.locals.outcome = outcome && res.locals.words.t(`moderation.done.${outcome}`);
    next(isAllowed ? undefined : new Forbidden("not for this role"));
  };
}

const outcomes = [
  "accept",
  "decline",
  "suspend",
  "reinstate",
  "block",
  "unblock",
  "role",
  "dismiss",
  "remove",
  "clear",
  "end",
  "retry",
  "drop",
] as const;

/** Leads back to a page below /admin, which then says what has been done. */
export function leadBack(res: Response, path: string, outcome: (typeof outcomes)[number]): void {
  res.redirect(303, `${path}?done=${outcome}`);
}
