import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { Ctx } from "../context.ts";
import { NotFound } from "../domain/errors.ts";
import type { Translator } from "./languages/translator.ts";
import { absoluteUrl } from "./middleware/locals.ts";

/** Something that is the same for everybody, and how many seconds it may be kept by anybody. */
export interface Public {
  type: string;
  body: string;
  seconds: number;
  /** Those that are in it; left out if there are none. */
  words?: Translator;
}

/** Answers 304 to whoever has it already. */
export function sendPublic(res: Response, { type, body, seconds, words }: Public): void {
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 27);
  res.setHeader("Cache-Control", `public, max-age=${seconds}`);
  res.setHeader("ETag", `W/"${digest}"`);
  if (words !== undefined) {
    res.vary("Accept-Language");
    res.setHeader("Content-Language", words.language);
  }
  res.setHeader("Content-Type", `${type}; charset=utf-8`);
  res.send(Buffer.from(body));
}

/**
 * Where the site is, as in "https://example.org", for addresses in what is read elsewhere. Throws
 * NotFound if the request names a host that can be none.
 */
export function siteOrigin(ctx: Ctx, req: Request): string {
  const url = absoluteUrl(ctx, req, "");
  const origin = URL.canParse(url) ? new URL(url).origin : "";
  if (!/^https?:/.test(origin)) throw new NotFound("host");
  return origin;
}
