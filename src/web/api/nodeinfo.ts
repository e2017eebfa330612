import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { siteStats } from "../../domain/tweets/site-stats.ts";
import { sendPublic, siteOrigin } from "../send-public.ts";
import { version } from "../version.ts";
import { findByAcct } from "./account-param.ts";

const quarterHour = 15 * 60;
const schema = "http://nodeinfo.diaspora.software/ns/schema";

/** What programs ask any site of this kind: its software, and where the page of a user is. */
export function nodeInfo(ctx: Ctx): Router {
  const router = Router();

  router.get("/.well-known/nodeinfo", (req, res) => {
    const site = siteOrigin(ctx, req);
    const links = ["2.0", "2.1"].map((edition) => ({
      rel: `${schema}/${edition}`,
      href: `${site}/nodeinfo/${edition}`,
    }));
    const body = JSON.stringify({ links });
    sendPublic(res, { type: "application/json", body, seconds: quarterHour });
  });

  for (const edition of ["2.0", "2.1"] as const)
    router.get(`/nodeinfo/${edition}`, async (_req, res) => {
      const body = JSON.stringify(await nodeInfoOf(ctx, edition));
      const type = `application/json; profile="${schema}/${edition}#"`;
      sendPublic(res, { type, body, seconds: quarterHour });
    });

  router.get("/.well-known/webfinger", async (req, res) => {
    const site = siteOrigin(ctx, req);
    const { resource } = req.query;
    const [, acct] = /^acct:(.+@.+)$/.exec(typeof resource === "string" ? resource : "") ?? [];
    const user = acct === undefined ? undefined : await findByAcct(ctx, acct, site);
    if (user === undefined) throw new NotFound("resource");
    const page = `${site}/@${user.name}`;
    const links = [{ rel: "http://webfinger.net/rel/profile-page", type: "text/html", href: page }];
    const subject = `acct:${user.name}@${new URL(site).host}`;
    const body = JSON.stringify({ subject, aliases: [page], links });
    sendPublic(res, { type: "application/jrd+json", body, seconds: quarterHour });
  });

  return router;
}

async function nodeInfoOf(ctx: Ctx, edition: "2.0" | "2.1") {
  const { people, tweets, activePeople } = await siteStats(ctx);
  const { sourceUrl: repository } = ctx.config;
  const told = edition === "2.1" && repository !== undefined ? { repository } : {};
  return {
    version: edition,
    software: { name: "suzume", version, ...told },
    protocols: [],
    services: { inbound: [], outbound: ["atom1.0", "rss2.0"] },
    openRegistrations: true,
    usage: { users: { total: people, activeMonth: activePeople }, localPosts: tweets },
    metadata: {},
  };
}
