import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses changes requested by pages of other sites, as browsers tell where a request comes from. A
 * client that does not tell is no browser, so no other site can use its cookie.
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
  // The scheme counts: on plain http a network can show any page under the site's name.
  return origin === baseUrl || origin === `${req.protocol}://${req.get("host")}`;
}
