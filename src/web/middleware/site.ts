import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import { readSite } from "../../domain/site/settings.ts";
import { isForMachines } from "../present/api-error.ts";
import { viewerOf } from "./session.ts";

/** Reads what the admins decided. A kept page depends on it from then on. */
export function loadSite(ctx: Ctx): RequestHandler {
  return async (_req, res, next) => {
    res.locals.site = await readSite(ctx);
    next();
  };
}

/** Pages that a site for members shows to all: ways in, and what tells which site it is. */
const openPages =
  /^\/(login|logout|signup(\/waiting)?|oauth\/authorize|about|privacy|language|manifest\.webmanifest|opensearch\.xml|\.well-known\/[\w-]+(\.txt)?)$/;

/** The same of the API. Reading the site's name and rules and registering an app come before any log-in. */
const openToApps =
  /^\/(api\/v[12]\/instance(\/\w+)?|api\/v1\/apps(\/verify_credentials)?|api\/v1\/accounts|api\/v1\/streaming\/health|oauth\/\w+|nodeinfo\/[\d.]+|\.well-known\/[\w-]+)$/;

/**
 * If only members may read: throws Unauthenticated for all others, on every path but the open ones. `identify`
 * finds out who asks, before routes that otherwise need no session.
 */
export function refuseStrangers(...identify: RequestHandler[]): RequestHandler[] {
  const isOpen: RequestHandler = (req, res, next) => {
    const isPage = !isForMachines(req.path);
    // The API identifies its viewers by tokens, see refuseStrangersToApi.
    const passes = res.locals.site.read === "public" || !isPage || openPages.test(req.path);
    next(passes ? "router" : undefined);
  };
  const check: RequestHandler = (_req, res, next) => {
    next(viewerOf(res) === undefined ? new Unauthenticated("members only") : undefined);
  };
  return [isOpen, ...identify, check];
}

/** Use in the API, after the token was read. */
export const refuseStrangersToApi: RequestHandler = (req, res, next) => {
  const isClosed =
    res.locals.site.read === "members" && !openToApps.test(req.originalUrl.split("?")[0] ?? "");
  next(isClosed && viewerOf(res) === undefined ? new Unauthenticated("members only") : undefined);
};
