import type { Ctx } from "../../../context.ts";
import { hasMail } from "../../../domain/accounts/mail.ts";
import { outOfBand } from "../../../domain/apps/store.ts";
import { listStaff } from "../../../domain/moderation/accounts.ts";
import { contactOf, defaultName, type SiteSettings } from "../../../domain/site/settings.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { absoluteSeconds, idleSeconds } from "../../../domain/users/sessions.ts";
import type { Translator } from "../../languages/translator.ts";
import { iconPath, presentParagraphs, presentRules, taglineOf } from "../../layout/branding.ts";
import { clip, escapeMarkup } from "../../layout/text.ts";
import { presentName } from "../../layout/people.ts";

const day = 24 * 60 * 60;

/** What the site is, who runs it, and with which software. */
export async function presentAbout(
  ctx: Ctx,
  words: Translator,
  site: SiteSettings,
  version: string,
) {
  const { sourceUrl } = ctx.config;
  const href = contactOf(ctx, site);
  const contact = href && { href, text: href.replace(/^(mailto:|https?:\/\/)/, "") };
  // Names in ADMINS without an account are not shown.
  const staff = ctx.config.showAdmins ? await listStaff(ctx) : [];
  const description = presentParagraphs(site.description);
  return {
    title: words.t("nav.about"),
    heading: site.name === defaultName ? words.t("about.what") : site.name,
    tagline: site.tagline,
    paragraphs: description.length > 0 ? description : [[{ text: words.t("about.purpose") }]],
    rules: presentRules(site),
    admins: staff.filter((user) => isAdmin(ctx, user)).map(presentName),
    contact: contact && words.pieces("about.writeTo", { contact }),
    software: words.pieces("about.suzume", { bird: { lang: "ja", text: "雀" }, version }),
    source: sourceUrl,
  };
}

/** What the site stores about users. */
export function presentPrivacy(ctx: Ctx, words: Translator) {
  const takeAlong = { href: "/settings/data", text: words.t("privacy.takeAlong") };
  const leave = { href: "/settings/account/delete", text: words.t("privacy.leave") };
  return {
    title: words.t("nav.privacy"),
    sessionDays: { idleDays: idleSeconds / day, longestDays: absoluteSeconds / day },
    hasMail: hasMail(ctx),
    traceDays: words.counted(ctx.config.timelineTtlDays),
    yours: words.pieces("privacy.yoursText", { takeAlong, leave }),
  };
}

/** Commands from nothing to a first tweet, with curl and jq; docs/api.md has the same ones. */
export function firstSteps(site: string): string[] {
  return [
    `S=${site}`,
    `read -r ID SECRET < <(curl -s $S/api/v1/apps -d client_name=curl -d redirect_uris=${outOfBand} -d scopes='read write' | jq -r '"\\(.client_id) \\(.client_secret)"')`,
    `echo "Open $S/oauth/authorize?response_type=code&scope=read+write&redirect_uri=${outOfBand}&client_id=$ID" && read -rp 'Code: ' CODE`,
    `TOKEN=$(curl -s $S/oauth/token -d grant_type=authorization_code -d code="$CODE" -d client_id="$ID" -d client_secret="$SECRET" -d redirect_uri=${outOfBand} | jq -r .access_token)`,
    `curl -s $S/api/v1/statuses -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: 1' -d status='Hello from curl' | jq -r .url`,
  ];
}

const xml = '<?xml version="1.0" encoding="utf-8"?>\n';

function iconsOf(site: SiteSettings) {
  const type = "image/png";
  const sparrow = { src: "/favicon.svg", sizes: "any", type: "image/svg+xml" };
  return [
    ...(site.logo === "" ? [sparrow] : []),
    { src: iconPath(site, "icon-192.png"), sizes: "192x192", type },
    { src: iconPath(site, "icon.png"), sizes: "512x512", type },
    { src: iconPath(site, "icon-maskable.png"), sizes: "512x512", type, purpose: "maskable" },
  ];
}

/** The web app manifest, with which devices install the site. */
export function renderManifest(words: Translator, site: SiteSettings): string {
  return JSON.stringify({
    id: "/",
    name: site.name,
    short_name: site.name,
    description: taglineOf(words, site),
    lang: words.language,
    start_url: "/",
    scope: "/",
    display: "standalone",
    share_target: {
      action: "/",
      method: "GET",
      params: { title: "title", text: "text", url: "url" },
    },
    // Background of the light theme: manifests cannot have two.
    theme_color: "#f8f3ec",
    background_color: "#f8f3ec",
    categories: ["social"],
    icons: iconsOf(site),
    shortcuts: [
      { name: words.t("machine.write"), url: "/#text" },
      { name: words.t("nav.notifications"), url: "/notifications" },
      { name: words.t("nav.search"), url: "/search" },
    ],
  });
}

/** Lets browsers search this site from their address bar; `base` is the origin of the site. */
export function renderOpenSearch(words: Translator, site: SiteSettings, base: string): string {
  const at = (path: string) => escapeMarkup(`${base}${path}`);
  return `${xml}<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${escapeMarkup(clip(site.name, 16))}</ShortName>
<Description>${escapeMarkup(words.t("machine.search", { site: site.name }))}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="${site.logo === "" ? "image/x-icon" : "image/png"}">${at("/favicon.ico")}</Image>
<Url type="text/html" method="get" template="${at("/search?q={searchTerms}")}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="${at("/opensearch.xml")}"/>
</OpenSearchDescription>
`;
}

/** Entry of a sitemap: a page of the site or a part of the sitemap. */
interface SitemapEntry {
  /** Absolute. */
  url: string;
  changed?: Date;
}

const space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

export function renderSitemap(entries: SitemapEntry[]): string {
  return `${xml}<urlset ${space}>\n${serialize("url", entries)}</urlset>\n`;
}

export function renderSitemapIndex(entries: SitemapEntry[]): string {
  return `${xml}<sitemapindex ${space}>\n${serialize("sitemap", entries)}</sitemapindex>\n`;
}

function serialize(element: string, entries: SitemapEntry[]): string {
  return entries
    .map(({ url, changed }) => {
      const lastmod = changed ? `<lastmod>${changed.toISOString()}</lastmod>` : "";
      return `<${element}><loc>${escapeMarkup(url)}</loc>${lastmod}</${element}>\n`;
    })
    .join("");
}
