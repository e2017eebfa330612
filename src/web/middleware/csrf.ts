import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A browser says where a request comes from: only our own pages may change anything. What says
 * nothing is no browser, and carries no unwitting person's cookie.
 */
export function refuseForeignPosts({ config }: Ctx): RequestHandler {
  return (req, _res, next) => {
    const allowed = safeMethods.has(req.method) || comesFromHere(req, config.baseUrl);
    next(allowed ? undefined : new Forbidden("cross-site request"));
  };
}

function comesFromHere(req: Request, baseUrl: string | undefined): boolean {
  const site = req.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = req.get("origin");
  if (origin === undefined) return true;
  return origin === baseUrl || hostOf(origin) === req.get("host");
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
