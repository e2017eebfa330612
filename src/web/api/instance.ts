import { z } from "zod";
import { siteStats } from "../../domain/tweets/site-stats.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, endpoint } from "./endpoint.ts";
import { presentAccount } from "./entities/account.ts";
import {
  type About,
  Instance,
  instanceEntity,
  OldInstance,
  oldInstanceEntity,
  presentRules,
  Rule,
} from "./entities/instance.ts";
import { html } from "./entities/parts.ts";

/** When the texts of the site were written. */
const written = "2026-01-01T00:00:00.000Z";

/** What the site tells of itself, to anybody. */
export const instanceEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/instance", "The site, as older apps ask for it", {
    access: "anybody",
    answer: OldInstance,
    handle: async (request) => oldInstanceEntity(await aboutSite(request)),
  }),
  endpoint("GET /api/v2/instance", "The site", {
    access: "anybody",
    answer: Instance,
    handle: async (request) => instanceEntity(await aboutSite(request)),
  }),
  endpoint("GET /api/v1/instance/rules", "The rules of the site", {
    access: "anybody",
    answer: z.array(Rule),
    handle: ({ res }) => presentRules(res.locals.site),
  }),
  linkTo("extended_description", "A link to the page about the site", "/about", "About this site"),
  linkTo(
    "privacy_policy",
    "A link to the privacy policy",
    "/privacy",
    "What this site keeps about people",
  ),
];

/** A text that this site has as a page. */
function linkTo(name: string, summary: string, page: string, words: string): Endpoint {
  return endpoint(`GET /api/v1/instance/${name}`, summary, {
    access: "anybody",
    answer: z.strictObject({ updated_at: z.string(), content: html }),
    handle: ({ site }) => ({
      updated_at: written,
      content: `<p><a href="${site}${page}">${words}</a></p>`,
    }),
  });
}

async function aboutSite(request: ApiRequest): Promise<About> {
  const { ctx, res, site } = request;
  const [stats, contact] = await Promise.all([siteStats(ctx), contactOf(request)]);
  return {
    site,
    config: ctx.config,
    settings: res.locals.site,
    stats,
    contact,
    languages: res.locals.languages.map(({ tag }) => tag),
  };
}

/** The first admin who has signed up, if the site names its admins. */
async function contactOf(request: ApiRequest): Promise<About["contact"]> {
  const { ctx } = request;
  const names = ctx.config.showAdmins ? ctx.config.admins : [];
  const found = await Promise.all(names.map((name) => findUserByName(ctx, name)));
  const admin = found.find((user) => user !== undefined && !user.suspended);
  if (admin === undefined) return null;
  return JSON.parse(await presentAccount(request, admin)) as About["contact"];
}
