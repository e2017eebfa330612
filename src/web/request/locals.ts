import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { textsOf } from "../layout/form.ts";
import { nextOf, safePath } from "../layout/safe-redirect.ts";
import { presentNavigation, readBadges } from "../layout/navigation.ts";
import { presentSiteTags, siteOpenGraph } from "../layout/head.ts";
import { presentName } from "../layout/people.ts";
import { siteUrl } from "../server/send-public.ts";
import { announcementFor } from "./site.ts";
import { readerOf } from "./language.ts";

/** Pages with public/css/secondary.css. */
const secondaryPages = /^\/(@|(settings|search|admin|oauth|about\/api)(\/|$))/i;

/** Values that every page shows around its content. Also forbids shared caching. */
export function locals(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const reader = readerOf(res);
    const { viewer, words } = reader;
    const { site } = res.locals;
    const badges = await readBadges(ctx, viewer);
    const leadsTo = safePath(textsOf(req.query)["next"] ?? nextOf(req));
    // Error pages show a navigation if `nav` is set, so what may fail comes before.
    res.locals.nav = presentNavigation(ctx, reader, { path: req.path, next: leadsTo }, badges);
    res.vary("Accept-Language, Cookie");
    res.setHeader("Cache-Control", viewer === undefined ? "private, no-cache" : "no-store");
    res.locals.viewer = viewer && presentName(viewer);
    res.locals.theme = viewer?.theme ?? "";
    // Link previews are made from pages without an account; some pages set more tags.
    if (viewer === undefined && req.method === "GET")
      res.locals.og = siteOpenGraph(words, site, siteUrl(ctx, req));
    res.locals.ogSite = presentSiteTags(site, siteUrl(ctx, req));
    res.locals.announcement = announcementFor(req, res);
    if (req.method === "GET") res.locals.canonical = `${siteUrl(ctx, req)}${canonicalPath(req)}`;
    res.locals.secondary = secondaryPages.test(req.path);
    res.locals.here = req.method === "GET" ? req.originalUrl : "/";
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
