import type { Request } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import type { RelyingParty } from "../../domain/factors/ceremonies.ts";
import { siteUrl } from "../server/send-public.ts";

/**
 * This site for passkeys, by BASE_URL; without it (in development) by the request's own host, on localhost only.
 * Undefined where browsers have no passkeys: on an IP address.
 */
export function relyingParty(ctx: Ctx, req: Request): RelyingParty | undefined {
  const address = siteUrl(ctx, req);
  if (!URL.canParse(address)) return undefined;
  const { hostname: id, origin } = new URL(address);
  const isTrusted = ctx.config.baseUrl !== undefined || /^([^.]+\.)*localhost$/.test(id);
  const isAddress = /^\[|^[\d.]+$/.test(id);
  return isTrusted && !isAddress ? { id, origin, name: siteName(req) } : undefined;
}

/** Browsers show it beside the passkey. */
function siteName({ res }: Request): string {
  return res?.locals.site.name ?? "";
}

/** Throws NotFound where there are no passkeys. */
export function requireRelyingParty(ctx: Ctx, req: Request): RelyingParty {
  const site = relyingParty(ctx, req);
  if (site === undefined) throw new NotFound("passkeys");
  return site;
}
