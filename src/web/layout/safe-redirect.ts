import type { Request } from "express";
import { z } from "zod";
import { textsOf } from "./form.ts";

// Any origin works: it only shows whether a reference leaves it.
const here = "http://here.invalid";

/**
 * A path of this site to redirect to, or "/" for anything that could lead elsewhere: other origins,
 * `//host`, `/\host`, `https:host`, control characters.
 */
export function safePath(raw: string | undefined): string {
  // oxlint-disable-next-line no-control-regex -- browsers drop some control characters, and then…
  if (raw === undefined || !/^\/(?![/\\])[^\\\u0000-\u0020\u007F]*$/.test(raw)) return "/";
  if (!URL.canParse(raw, here)) return "/";
  const url = new URL(raw, here);
  const path = url.pathname + url.search + url.hash;
  // A path such as "/.//host" becomes "//host" once its dots are resolved.
  return url.origin === here && !path.startsWith("//") ? path : "/";
}

/** A page of signing in or up that leads on to `next`. */
export function withNext(path: string, next: string): string {
  return next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Page on which a button was pressed, if its form tells: `next`. */
export function nextOf(req: Request): string | undefined {
  const { next } = textsOf(req.body);
  return next === undefined ? undefined : safePath(next);
}

/** Page to return to: `next` of the form, or the page of this site that led here, or `fallback`. */
export function returnPath(req: Request, fallback: string): string {
  return nextOf(req) ?? refererOf(req) ?? fallback;
}

/** Path of the Referer, if it is a page of this site. */
export function refererOf(req: Request): string | undefined {
  const referer = req.get("referer");
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { host, pathname, search } = new URL(referer);
  return host === req.get("host") ? safePath(pathname + search) : undefined;
}

/** The hidden field `next` of a form: a path of this site to redirect to. */
export const nextPath = z.string().optional().catch(undefined).transform(safePath);
