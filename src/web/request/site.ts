import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import { isOutage } from "../../domain/outage.ts";
import { closedSite, readSite, type SiteSettings } from "../../domain/site/settings.ts";
import {
  presentAnnouncement,
  presentBranding,
  presentSiteTags,
  siteOpenGraph,
} from "../layout/branding.ts";
import { isForMachines, readerOf, viewerOf } from "./reader.ts";
import { cookieIn, setCookie } from "./session.ts";
import { nextOf, safePath, textsOf } from "../layout/form.ts";
import { presentNavigation, readBadges } from "../layout/navigation.ts";
import { presentName } from "../layout/people.ts";
import { siteUrl } from "../server/send-public.ts";

/** Milliseconds for which a request that writes believes what this process read last: it saves a round trip. */
const believed = 1000;

/**
 * Reads what the admins decided. A kept page depends on it from then on. In an outage the last known settings
 * count; if none are known, `requireSite` refuses the request once its form has been read.
 */
export function loadSite(ctx: Ctx): RequestHandler {
  let last: { site: SiteSettings; at: number } | undefined;
  return async (req, res, next) => {
    const isFresh = last !== undefined && performance.now() - last.at < believed;
    if (!isFresh || ["GET", "HEAD"].includes(req.method))
      try {
        last = { site: await readSite(ctx), at: performance.now() };
      } catch (error) {
        if (!isOutage(error)) throw error;
        if (last === undefined) res.locals.siteError = error;
      }
    const site = last?.site ?? closedSite(ctx);
    res.locals.site = site;
    res.locals.branding = presentBranding(site);
    next();
  };
}

/** Throws the outage that hides the settings of the site. */
export const requireSite: RequestHandler = (_req, res, next) => {
  next(res.locals.siteError);
};

/**
 * Pages that a site for members shows to all: ways in, what tells which site it is, and pictures, whose addresses
 * cannot be guessed (docs/decisions/0039): apps ask for them without a token.
 */
const openPages =
  /^\/((avatars|pictures)\/[\w.-]+|headers\/original\/missing\.png|login(\/code|\/passkey)?|passkeys\/options|logout|signup(\/waiting)?|forgot(\/(code|mail))?|reset\/[^/]+|confirm(\/[^/]+)?|unsubscribe\/[^/]+|oauth\/authorize|about|privacy|language|manifest\.webmanifest|opensearch\.xml|logo\/\w+\/[\w.-]+|accent\/\w+\.css|\.well-known\/[\w-]+(\.txt)?)$/;

/** The same of the API, by method and path: name and rules of the site, registering an app, signing up and in. */
const openToApps =
  /^(\w+ \/(api\/v[12]\/instance(\/\w+)?|api\/v1\/apps(\/verify_credentials)?|api\/v1\/streaming\/health|oauth\/\w+|nodeinfo\/[\d.]+|\.well-known\/(nodeinfo|oauth-authorization-server|change-password|security\.txt))|POST \/api\/v1\/accounts)$/;

/**
 * If only members may read: throws Unauthenticated for all others, on every path but the open ones. `identify`
 * finds out who asks, before routes that otherwise need no session.
 */
export function refuseStrangers(...identify: RequestHandler[]): RequestHandler[] {
  return [passOpenPages, ...identify, refuseStranger];
}

const passOpenPages: RequestHandler = (req, res, next) => {
  // A form is read first, so that the outage page can offer it again.
  const isForm = req.method === "POST" && res.locals.siteError !== undefined;
  // The API identifies its viewers by tokens, see refuseStrangersToApi.
  const isOther = isForm || isForMachines(req.path) || openPages.test(req.path);
  const passes = res.locals.site.read === "public" || isOther;
  next(passes ? "router" : res.locals.siteError);
};

const refuseStranger: RequestHandler = (_req, res, next) => {
  next(viewerOf(res) === undefined ? new Unauthenticated("members only") : undefined);
};

/** Use in the API, after the token was read. */
export const refuseStrangersToApi: RequestHandler = (req, res, next) => {
  if (res.locals.siteError !== undefined) return next(res.locals.siteError);
  const route = `${req.method} ${req.originalUrl.split("?")[0] ?? ""}`;
  const isClosed = res.locals.site.read === "members" && !openToApps.test(route);
  next(isClosed && viewerOf(res) === undefined ? new Unauthenticated("members only") : undefined);
};

/** Cookie with the digest of the announcement that this browser has put away. */
const cookie = "announcement";

/** Digest of the announcement that this browser has put away; empty if there is none. */
export function putAwayIn(req: Request): string {
  return /^[0-9a-f]{16}$/.exec(cookieIn(req, cookie) ?? "")?.[0] ?? "";
}

export function putAway(res: Response, digest: string): void {
  setCookie(res, cookie, digest);
}

/** Pages with public/css/secondary.css. */
const secondaryPages =
  /^\/(@|(notifications|settings|search|admin|oauth|messages|tweets|drafts|lists|about\/api)(\/|$))/i;

/** Values that every page shows around its content. Also forbids shared caching. */
export function locals(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const reader = readerOf(res);
    const { viewer, words } = reader;
    const { site } = res.locals;
    const leadsTo = safePath(textsOf(req.query)["next"] ?? nextOf(req));
    let adding: Promise<void> | undefined;
    const addFrame = async () => {
      res.locals.ogSite = presentSiteTags(site, siteUrl(ctx, req));
      // On a site for members it may be meant for members only.
      if (site.read === "public" || viewerOf(res) !== undefined)
        res.locals.announcement = presentAnnouncement(site, putAwayIn(req));
      const badges = await readBadges(ctx, viewer);
      res.locals.nav = presentNavigation(ctx, reader, { path: req.path, next: leadsTo }, badges);
    };
    res.locals.addFrame = async () => await (adding ??= addFrame());
    // Error pages show a navigation if `nav` is set, so what may fail comes before.
    if (["GET", "HEAD"].includes(req.method)) await res.locals.addFrame();
    else addBeforeRendering(res, next);
    res.vary("Accept-Language, Cookie");
    res.setHeader("Cache-Control", viewer === undefined ? "private, no-cache" : "no-store");
    res.locals.viewer = viewer && presentName(viewer);
    res.locals.theme = viewer?.theme ?? "";
    // Link previews are made from pages without an account; some pages set more tags.
    if (viewer === undefined && req.method === "GET")
      res.locals.og = siteOpenGraph(words, site, siteUrl(ctx, req));
    if (req.method === "GET") res.locals.canonical = `${siteUrl(ctx, req)}${canonicalPath(req)}`;
    res.locals.secondary = secondaryPages.test(req.path);
    res.locals.here = req.method === "GET" ? req.originalUrl : "/";
    next();
  };
}

/** Most forms lead to a redirect: only one that shows a page makes its frame. */
function addBeforeRendering(res: Response, onError: NextFunction): void {
  const render = res.render.bind(res) as (...args: unknown[]) => void;
  res.render = (...args: unknown[]) => {
    res.locals.addFrame?.().then(() => render(...args), onError);
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
