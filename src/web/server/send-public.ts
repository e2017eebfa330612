import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Translator } from "../languages/translator.ts";

/** A response that is the same for all clients. Anyone may cache it for `seconds`. */
export interface Public {
  type: string;
  body: string;
  seconds: number;
  /** Language of its texts; absent if it contains none. */
  words?: Translator;
}

/** Answers 304 if the client has the same version. */
export function sendPublic(res: Response, { type, body, seconds, words }: Public): void {
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 27);
  // Where only members may read, shared caches must not keep it.
  const sharing = res.locals.site.read === "public" ? "public" : "private";
  res.setHeader("Cache-Control", `${sharing}, max-age=${seconds}`);
  res.setHeader("ETag", `W/"${digest}"`);
  if (words !== undefined) {
    res.vary("Accept-Language");
    res.setHeader("Content-Language", words.language);
  }
  res.setHeader("Content-Type", `${type}; charset=utf-8`);
  res.send(Buffer.from(body));
}

/** Web apps of any origin may show and read it. A star lets no cookie be sent: they get what strangers get. */
export function shareWithApps(res: Response): void {
  res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  res.setHeader("Access-Control-Allow-Origin", "*");
}

/** URL of the site, without a path. Without BASE_URL it uses the Host header, never X-Forwarded-Host. */
export function siteUrl({ config }: Ctx, req: Request): string {
  return config.baseUrl ?? `${req.protocol}://${req.get("host") ?? ""}`;
}

/** Origin of the site, for addresses that are read elsewhere. Throws NotFound if the Host header is no valid host. */
export function siteOrigin(ctx: Ctx, req: Request): string {
  const url = siteUrl(ctx, req);
  const origin = URL.canParse(url) ? new URL(url).origin : "";
  if (!/^https?:/.test(origin)) throw new NotFound("host");
  return origin;
}
