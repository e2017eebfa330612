import type { Request, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { siteStats } from "../../domain/tweets/site-stats.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { siteOrigin } from "../send-public.ts";
import { emptyList, emptyObject, type Endpoint, endpoint, one } from "./endpoint.ts";
import { presentAccount } from "./entities/account.ts";
import { type About, instanceEntity, oldInstanceEntity } from "./entities/instance.ts";

/** When the texts of the site were written. */
const written = "2026-01-01T00:00:00.000Z";

/** What the site tells of itself, to anybody. */
export const instanceEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/instance",
    summary: "The site, as older apps ask for it",
    access: "anybody",
    answer: one("OldInstance"),
    async handle({ ctx, req, res }) {
      res.json(oldInstanceEntity(await aboutSite(ctx, req, res)));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v2/instance",
    summary: "The site",
    access: "anybody",
    answer: one("Instance"),
    async handle({ ctx, req, res }) {
      res.json(instanceEntity(await aboutSite(ctx, req, res)));
    },
  }),
  // There are no other servers and no rules, and nothing is translated.
  ...["activity", "domain_blocks", "peers", "rules"].map((name) =>
    endpoint({
      method: "get",
      path: `/api/v1/instance/${name}`,
      summary: "Always empty",
      access: "anybody",
      answer: emptyList,
      handle: ({ res }) => void res.json([]),
    }),
  ),
  endpoint({
    method: "get",
    path: "/api/v1/instance/translation_languages",
    summary: "Always empty",
    access: "anybody",
    answer: emptyObject,
    handle: ({ res }) => void res.json({}),
  }),
  linkTo("extended_description", "Where more is told", "/about", "About this site"),
  linkTo("privacy_policy", "Where it is told", "/privacy", "What this site keeps about people"),
];

/** A text that this site has as a page. */
function linkTo(name: string, summary: string, page: string, words: string): Endpoint {
  return endpoint({
    method: "get",
    path: `/api/v1/instance/${name}`,
    summary,
    access: "anybody",
    answer: {
      schema: z.strictObject({ updated_at: z.string(), content: z.string().describe("HTML") }),
    },
    handle({ ctx, req, res }) {
      const content = `<p><a href="${siteOrigin(ctx, req)}${page}">${words}</a></p>`;
      res.json({ updated_at: written, content });
    },
  });
}

async function aboutSite(ctx: Ctx, req: Request, res: Response): Promise<About> {
  const site = siteOrigin(ctx, req);
  const [stats, contact] = await Promise.all([siteStats(ctx), contactOf(ctx, site)]);
  return {
    site,
    config: ctx.config,
    stats,
    contact,
    languages: res.locals.languages.map(({ tag }) => tag),
  };
}

/** The first admin who has signed up, if the site names its admins. */
async function contactOf(ctx: Ctx, site: string): Promise<unknown> {
  const names = ctx.config.showAdmins ? ctx.config.admins : [];
  const found = await Promise.all(names.map((name) => findUserByName(ctx, name)));
  const admin = found.find((user) => user !== undefined && !user.suspended);
  return admin === undefined ? null : JSON.parse(await presentAccount(ctx, site, admin));
}
