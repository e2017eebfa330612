import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import { presentNavigation } from "../present/navigation.ts";
import { siteOpenGraph } from "../present/open-graph.ts";
import { presentName } from "../present/people.ts";
import { readerOf, wordsOf } from "./language.ts";
import { viewerOf } from "./session.ts";

/** Values that every page shows around its content. Also forbids shared caching. */
export function locals(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const viewer = viewerOf(res);
    const unread = viewer === undefined ? 0 : await countUnreadGroups(ctx, viewer);
    // Error pages show a navigation if `nav` is set, so what may fail comes before.
    res.locals["nav"] = presentNavigation(ctx, readerOf(res), req.path, unread);
    res.vary("Accept-Language, Cookie");
    res.setHeader("Cache-Control", viewer === undefined ? "private, no-cache" : "no-store");
    res.locals["viewer"] = viewer && presentName(viewer);
    // Link previews are made from pages without an account; some pages set more tags.
    if (viewer === undefined && req.method === "GET")
      res.locals["og"] = siteOpenGraph(wordsOf(res), absoluteUrl(ctx, req, ""));
    if (req.method === "GET") res.locals["canonical"] = absoluteUrl(ctx, req, canonicalPath(req));
    res.locals["here"] = req.method === "GET" ? req.originalUrl : "/";
    next();
  };
}

/** Canonical path: keeps only the parameters that select what is shown. */
function canonicalPath({ path, query }: Request): string {
  const parameters = new URLSearchParams();
  for (const name of ["q", "people", "before", "after"]) {
    const value = query[name];
    if (typeof value === "string" && value !== "") parameters.set(name, value);
  }
  return parameters.size === 0 ? path : `${path}?${String(parameters)}`;
}

/** Absolute URL on this site. Without BASE_URL it uses the Host header, never X-Forwarded-Host. */
export function absoluteUrl({ config }: Ctx, req: Request, path: string): string {
  return `${config.baseUrl ?? `${req.protocol}://${req.get("host") ?? ""}`}${path}`;
}
