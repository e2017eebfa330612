import { type Request, type Response, Router } from "express";
import { LRUCache } from "lru-cache";
import { version } from "../../../config.ts";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { countSitemapPages, readSitemapPage } from "../../../domain/feeds/public-lists.ts";
import { contactOf } from "../../../domain/site/settings.ts";
import { stampToDate } from "../../../domain/ids.ts";
import { newestUsers } from "../../../domain/users/listed.ts";
import { type Endpoint, scopesOf } from "../../api/endpoint.ts";
import { endpoints as declared } from "../../api/endpoints.ts";
import { tagOf } from "../../api/openapi.ts";
import { sendPublic, siteOrigin } from "../../server/send-public.ts";
import {
  firstSteps,
  presentAbout,
  presentPrivacy,
  renderManifest,
  renderOpenSearch,
  renderSitemap,
  renderSitemapIndex,
} from "./view.ts";

/** Public pages about the site, its software, its data and its API. */
export function aboutPages(router: Router, ctx: Ctx): void {
  router.get("/about", async (_req, res) => {
    const { words, site } = res.locals;
    res.render("about/about", await presentAbout(ctx, words, site, version));
  });
  router.get("/privacy", (_req, res) => {
    res.render("about/privacy", presentPrivacy(ctx, res.locals.words));
  });
  router.get("/about/api", (req, res) => {
    const { words } = res.locals;
    const address = "/api/openapi.json";
    res.render("about/api", {
      title: words.t("api.title"),
      steps: firstSteps(siteOrigin(ctx, req)),
      document: words.pieces("api.document", { link: { text: address, href: address } }),
      nouns: presentEndpoints(),
    });
  });
}

/** Endpoints of the API, grouped by noun. Their texts are those of the OpenAPI document, in English. */
function presentEndpoints() {
  const nouns = [...new Set(declared.map(tagOf))];
  return nouns.map((noun) => ({
    noun,
    endpoints: declared.filter((one) => tagOf(one) === noun).map(presentEndpoint),
  }));
}

function presentEndpoint({ method, path, summary, access, query, body }: Endpoint) {
  const fields = [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})];
  const isOpen = typeof access === "string" || access.optional === true;
  // A token needs one of these scopes.
  const scope = isOpen ? undefined : scopesOf(access).join(", ");
  return { method: method.toUpperCase(), path, summary, scope, fields };
}

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
    const fields = {
      Contact: contactOf(ctx, res.locals.site) ?? `${origin}/about`,
      Expires: new Date((today + expiresAfterDays) * day * 1000).toISOString(),
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

/** Closed to search engines: forms, and pages that differ for each user. */
const closed = ["/admin", "/api/", "/notifications", "/oauth/", "/search", "/settings"];
/** How long a process keeps a part. Links to tweets deleted since lead to 404. */
const keptMilliseconds = 10 * 60_000;
/** Max parts, of about 100 kB each; each Host header has parts of its own. */
const partsKept = 50;
const people = 1000;

/** For search engines: robots.txt, and a sitemap of the newest users and tweets. */
export function sitemapPages(router: Router, ctx: Ctx): void {
  const parts = new LRUCache<string, string>({ max: partsKept, ttl: keptMilliseconds });

  router.get("/robots.txt", (req, res) => {
    const lines = ["User-agent: *", ...closed.map((path) => `Disallow: ${path}`)];
    const body = `${lines.join("\n")}\n\nSitemap: ${siteOrigin(ctx, req)}/sitemap.xml\n`;
    sendPublic(res, { type: "text/plain", body, seconds: day });
  });

  /** Serves a part, made by `make` for the origin of the site and the path parameter. */
  const serve = (path: string, make: (base: string, id: string) => Promise<string>) =>
    router.get(path, async (req: Request, res: Response) => {
      const base = siteOrigin(ctx, req);
      const key = `${base}${req.path}`;
      const body = parts.get(key) ?? (await make(base, String(req.params["id"])));
      parts.set(key, body, { noUpdateTTL: true });
      sendPublic(res, { type: "application/xml", body, seconds: hour });
    });

  serve("/sitemap.xml", async (base) => {
    const count = await countSitemapPages(ctx);
    const tweets = Array.from({ length: count }, (_, nth) => `tweets/${nth + 1}`);
    const names = ["people", ...tweets];
    return renderSitemapIndex(names.map((name) => ({ url: `${base}/sitemap/${name}.xml` })));
  });
  serve("/sitemap/people.xml", async (base) => {
    const profiles = (await newestUsers(ctx, people)).map(({ name }) => `/@${name}`);
    return renderSitemap(["/", "/explore", ...profiles].map((path) => ({ url: `${base}${path}` })));
  });
  serve("/sitemap/tweets/:id.xml", async (base, id) => {
    const isPage = /^[1-9]\d?$/.test(id) && Number(id) <= (await countSitemapPages(ctx));
    if (!isPage) throw new NotFound("part of the sitemap");
    const tweets = await readSitemapPage(ctx, Number(id));
    return renderSitemap(
      tweets.map((tweet) => ({
        url: `${base}/tweets/${tweet.id}`,
        changed: stampToDate(tweet.createdAt),
      })),
    );
  });
}
