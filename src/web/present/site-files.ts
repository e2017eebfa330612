import type { SiteSettings } from "../../domain/site/settings.ts";
import type { Translator } from "../languages/translator.ts";
import { iconPath } from "./face.ts";
import { taglineOf } from "./head.ts";
import { clip, escapeMarkup } from "./markup.ts";

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
