import { LRUCache } from "lru-cache";
import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { stampToDate } from "../../domain/stamp.ts";
import { countSitemapPages, readSitemapPage } from "../../domain/feeds/public-lists.ts";
import { newestUsers } from "../../domain/users/store.ts";
import { renderSitemap, renderSitemapIndex } from "../present/sitemap.ts";
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

  router.get("/sitemap.xml", async (req, res) => {
    await sendPart(req, res, listParts);
  });
  router.get("/sitemap/people.xml", async (req, res) => {
    await sendPart(req, res, listPeople);
  });
  router.get("/sitemap/tweets/:id.xml", async (req, res) => {
    const page = req.params["id"];
    if (!/^[1-9]\d?$/.test(page)) throw new NotFound("part of the sitemap");
    await sendPart(req, res, (_ctx, base) => listTweets(ctx, base, Number(page)));
  });
  return router;

  async function sendPart(
    req: Request,
    res: Response,
    make: (ctx: Ctx, base: string) => Promise<string>,
  ): Promise<void> {
    const base = siteOrigin(ctx, req);
    const key = `${base}${req.path}`;
    const body = parts.get(key) ?? (await make(ctx, base));
    parts.set(key, body, { noUpdateTTL: true });
    sendPublic(res, { type: "application/xml", body, seconds: sitemapSeconds });
  }
}

async function listParts(ctx: Ctx, base: string): Promise<string> {
  const count = await countSitemapPages(ctx);
  const pages = Array.from({ length: count }, (_, nth) => `${base}/sitemap/tweets/${nth + 1}.xml`);
  return renderSitemapIndex([`${base}/sitemap/people.xml`, ...pages].map((url) => ({ url })));
}

async function listPeople(ctx: Ctx, base: string): Promise<string> {
  const profiles = (await newestUsers(ctx, people)).map(({ name }) => `/@${name}`);
  return renderSitemap(["/", "/explore", ...profiles].map((path) => ({ url: `${base}${path}` })));
}

/** Throws NotFound past the last page. */
async function listTweets(ctx: Ctx, base: string, page: number): Promise<string> {
  if (page > (await countSitemapPages(ctx))) throw new NotFound("part of the sitemap");
  const tweets = await readSitemapPage(ctx, page);
  return renderSitemap(
    tweets.map(({ id, createdAt }) => ({
      url: `${base}/tweets/${id}`,
      changed: stampToDate(createdAt),
    })),
  );
}
