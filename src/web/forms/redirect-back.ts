import type { Request } from "express";
import { textsOf } from "./form.ts";
import { safePath } from "./safe-redirect.ts";

/**
 * Page on which a button was pressed, for a redirect: `next` of the form, else the Referer if it is a
 * page of this site, else `fallback`.
 */
export function returnPath(req: Request, fallback: string): string {
  const { next } = textsOf(req.body);
  if (next !== undefined) return safePath(next);
  const referer = req.get("referer");
  if (referer === undefined || !URL.canParse(referer)) return fallback;
  const { host, pathname, search } = new URL(referer);
  return host === req.get("host") ? safePath(pathname + search) : fallback;
}
