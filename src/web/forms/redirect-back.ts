import type { Request } from "express";
import { textsOf } from "./form.ts";
import { ownPath } from "./safe-redirect.ts";

/**
 * Where a button was pressed, to go back there: what the form says in `next`, else the page that the
 * browser names, if it is one of ours, else `fallback`.
 */
export function wayBack(req: Request, fallback: string): string {
  const { next } = textsOf(req.body);
  if (next !== undefined) return ownPath(next);
  const referer = req.get("referer");
  if (referer === undefined || !URL.canParse(referer)) return fallback;
  const { host, pathname, search } = new URL(referer);
  return host === req.get("host") ? ownPath(pathname + search) : fallback;
}
