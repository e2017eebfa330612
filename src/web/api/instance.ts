import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { siteStats } from "../../domain/tweets/site-stats.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { languagesOf } from "../middleware/language.ts";
import { siteOrigin } from "../send-public.ts";
import { presentAccount } from "./entities/account.ts";
import { type About, instanceEntity, oldInstanceEntity } from "./entities/instance.ts";

/** There are no other servers and no rules, and nothing is translated. */
const empty: [door: string, answer: object][] = [
  ["activity", []],
  ["domain_blocks", []],
  ["peers", []],
  ["rules", []],
  ["translation_languages", {}],
];

/** Texts that this site has as pages. */
const texts: [door: string, path: string, words: string][] = [
  ["extended_description", "/about", "About this site"],
  ["privacy_policy", "/privacy", "What this site keeps about people"],
];
/** When they began to say what they say. */
const written = "2026-01-01T00:00:00.000Z";

/** What the site tells of itself, to anybody. */
export function instanceApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/instance", async (req, res) => {
    res.json(oldInstanceEntity(await aboutSite(ctx, req, res)));
  });
  router.get("/api/v2/instance", async (req, res) => {
    res.json(instanceEntity(await aboutSite(ctx, req, res)));
  });

  for (const [door, answer] of empty)
    router.get(`/api/v1/instance/${door}`, (_req, res) => {
      res.json(answer);
    });
  for (const [door, path, words] of texts)
    router.get(`/api/v1/instance/${door}`, (req, res) => {
      const content = `<p><a href="${siteOrigin(ctx, req)}${path}">${words}</a></p>`;
      res.json({ updated_at: written, content });
    });

  return router;
}

async function aboutSite(ctx: Ctx, req: Request, res: Response): Promise<About> {
  const site = siteOrigin(ctx, req);
  const [stats, contact] = await Promise.all([siteStats(ctx), contactOf(ctx, site)]);
  return { site, config: ctx.config, stats, contact, languages: languagesOf(res) };
}

/** The first admin who has signed up, if the site names its admins. */
async function contactOf(ctx: Ctx, site: string): Promise<unknown> {
  const names = ctx.config.showAdmins ? ctx.config.admins : [];
  const found = await Promise.all(names.map((name) => findUserByName(ctx, name)));
  const admin = found.find((user) => user !== undefined && !user.suspended);
  return admin === undefined ? null : JSON.parse(await presentAccount(ctx, site, admin));
}
