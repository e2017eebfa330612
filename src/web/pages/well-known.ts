import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { contactOf } from "../../domain/site/settings.ts";
import { renderManifest, renderOpenSearch } from "../present/site-files.ts";
import { sendPublic, siteOrigin } from "../send-public.ts";

const hour = 60 * 60;
const day = 24 * hour;
/** RFC 9116 recommends less than a year. */
const expiresAfterDays = 180;

/** Files at fixed addresses, for browsers and other clients; without a session. */
export function wellKnownPages(ctx: Ctx): Router {
  const router = Router();

  router.get("/opensearch.xml", (req, res) => {
    const { publicWords: words, site } = res.locals;
    const body = renderOpenSearch(words, site, siteOrigin(ctx, req));
    sendPublic(res, { type: "application/opensearchdescription+xml", body, seconds: day, words });
  });

  router.get("/manifest.webmanifest", (_req, res) => {
    const { publicWords: words, site } = res.locals;
    const body = renderManifest(words, site);
    sendPublic(res, { type: "application/manifest+json", body, seconds: hour, words });
  });

  router.get("/.well-known/security.txt", (req, res) => {
    const origin = siteOrigin(ctx, req);
    const today = Math.floor(ctx.now() / 1000 / day);
    const expires = new Date((today + expiresAfterDays) * day * 1000).toISOString();
    const fields = {
      Contact: contactOf(ctx, res.locals.site) ?? `${origin}/about`,
      Expires: expires,
      Canonical: `${origin}/.well-known/security.txt`,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    sendPublic(res, { type: "text/plain", body: lines.join(""), seconds: day });
  });

  router.get("/.well-known/change-password", (_req, res) => {
    res.setHeader("Cache-Control", `public, max-age=${day}`);
    res.redirect(303, "/settings/account");
  });
  return router;
}
