import { type Response, Router } from "express";
import { version } from "../../config.ts";
import type { Ctx } from "../../context.ts";
import { allScopes } from "../../domain/apps/scopes.ts";
import { NotFound } from "../../domain/errors.ts";
import type { SiteSettings } from "../../domain/site/settings.ts";
import { siteStats } from "../../domain/feeds/public-lists.ts";
import { escapeMarkup } from "../layout/text.ts";
import { sendPublic, siteOrigin } from "../server/send-public.ts";
import { findByAcct } from "./account-param.ts";

const quarterHour = 15 * 60;
const hour = 60 * 60;
const schema = "http://nodeinfo.diaspora.software/ns/schema";

/** What programs ask any site of this kind: its software, the page of a user, and how apps get tokens. */
export function wellKnownApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/.well-known/oauth-authorization-server", (req, res) => {
    send(res, serverMetadata(siteOrigin(ctx, req)), { seconds: hour });
  });

  router.get("/.well-known/nodeinfo", (req, res) => {
    const site = siteOrigin(ctx, req);
    const links = ["2.0", "2.1"].map((edition) => ({
      rel: `${schema}/${edition}`,
      href: `${site}/nodeinfo/${edition}`,
    }));
    send(res, { links });
  });

  for (const edition of ["2.0", "2.1"] as const)
    router.get(`/nodeinfo/${edition}`, async (_req, res) => {
      const type = `application/json; profile="${schema}/${edition}#"`;
      send(res, await nodeInfoOf(ctx, res.locals.site, edition), { type });
    });

  router.get("/.well-known/host-meta", (req, res) => {
    const template = `${siteOrigin(ctx, req)}/.well-known/webfinger?resource={uri}`;
    const body = `<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">
  <Link rel="lrdd" template="${escapeMarkup(template)}"/>
</XRD>
`;
    sendPublic(res, { type: "application/xrd+xml", body, seconds: hour });
  });

  router.get("/.well-known/webfinger", async (req, res) => {
    const site = siteOrigin(ctx, req);
    const { resource } = req.query;
    const acct = typeof resource === "string" ? acctIn(resource) : undefined;
    const user = acct === undefined ? undefined : await findByAcct(ctx, acct, site);
    if (user === undefined) throw new NotFound("resource");
    const page = `${site}/@${user.name}`;
    const links = [{ rel: "http://webfinger.net/rel/profile-page", type: "text/html", href: page }];
    const subject = `acct:${user.name}@${new URL(site).host}`;
    send(res, { subject, aliases: [page], links }, { type: "application/jrd+json" });
  });

  return router;
}

/** "acct:ann@suzume.example" → "ann@suzume.example". Linear, as each part has no "@". */
export function acctIn(resource: string): string | undefined {
  return /^acct:(@?[^@]+@[^@]+)$/.exec(resource)?.[1];
}

function send(
  res: Response,
  answer: unknown,
  { type = "application/json", seconds = quarterHour } = {},
): void {
  sendPublic(res, { type, body: JSON.stringify(answer), seconds });
}

async function nodeInfoOf(ctx: Ctx, site: SiteSettings, edition: "2.0" | "2.1") {
  const { people, tweets, activePeople } = await siteStats(ctx);
  const { sourceUrl: repository } = ctx.config;
  const source = edition === "2.1" && repository !== undefined ? { repository } : {};
  return {
    version: edition,
    software: { name: "suzume", version, ...source },
    protocols: [],
    services: { inbound: [], outbound: ["atom1.0", "rss2.0"] },
    openRegistrations: site.signUp === "open",
    usage: { users: { total: people, activeMonth: activePeople }, localPosts: tweets },
    metadata: { nodeName: site.name, nodeDescription: site.tagline },
  };
}

/** RFC 8414, with what Mastodon adds. */
function serverMetadata(origin: string) {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer: origin,
    service_documentation: `${origin}/about`,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    app_registration_endpoint: `${origin}/api/v1/apps`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    userinfo_endpoint: `${origin}/oauth/userinfo`,
    scopes_supported: allScopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ["S256"],
  };
}
