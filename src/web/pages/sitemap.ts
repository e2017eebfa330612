import { LRUCache } from "lru-cache";
import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { stampToDate } from "../../domain/stamp.ts";
import { countSitemapPages, readSitemapPage } from "../../domain/feeds/public-lists.ts";
import { newestUsers } from "../../domain/users/listed.ts";
import { renderSitemap, renderSitemapIndex } from "../present/site-files.ts";
import { sendPublic, siteOrigin } from "../send-public.ts";

/** Closed to search engines: forms, and pages that differ for each user. */
const closed = ["/admin", "/api/", "/notifications", "/oauth/", "/search", "/settings"];
const robotsSeconds = 24 * 60 * 60;
const sitemapSeconds = 60 * 60;
/** How long a process keeps a part. Links to tweets deleted since lead to 404. */
const keptMilliseconds = 10 * 60_000;
/** Max parts, of about 100 kB each; each Host header has parts of its own. */
const partsKept = 50;
const people = 1000;

/** For search engines: robots.txt, and a sitemap of the newest users and tweets. */
export function sitemapPages(ctx: Ctx): Router {
  const router = Router();
  const parts = new LRUCache<string, string>({ max: partsKept, ttl: keptMilliseconds });

  router.get("/robots.txt", (req, res) => {
    const lines = ["User-agent: *", ...closed.map((path) => `Disallow: ${path}`)];
    const body = `${lines.join("\n")}\n\nSitemap: ${siteOrigin(ctx, req)}/sitemap.xml\n`;
    sendPublic(res, { type: "text/plain", body, seconds: robotsSeconds });
  });

  /** Serves a part, made by `make` for the origin of the site and the path parameter. */
  const serve = (path: string, make: (base: string, id: string) => Promise<string>) =>
    router.get(path, async (req: Request, res: Response) => {
      const base = siteOrigin(ctx, req);
      const key = `${base}${req.path}`;
      const body = parts.get(key) ?? (await make(base, String(req.params["id"])));
      parts.set(key, body, { noUpdateTTL: true });
      sendPublic(res, { type: "application/xml", body, seconds: sitemapSeconds });
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
  return router;
}
