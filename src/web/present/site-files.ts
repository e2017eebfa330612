import type { Translator } from "../languages/translator.ts";
import { escapeMarkup } from "./markup.ts";

const xml = '<?xml version="1.0" encoding="utf-8"?>\n';

const icons = [
  { src: "/favicon.svg", sizes: "any", type: "image/svg+xml" },
  { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
  { src: "/icon.png", sizes: "512x512", type: "image/png" },
  { src: "/icon-maskable.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
];

/** The web app manifest, with which devices install the site. */
export function renderManifest(words: Translator): string {
  return JSON.stringify({
    id: "/",
    name: "Suzume",
    short_name: "Suzume",
    description: words.t("machine.site"),
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
    icons,
    shortcuts: [
      { name: words.t("machine.write"), url: "/#text" },
      { name: words.t("nav.notifications"), url: "/notifications" },
      { name: words.t("nav.search"), url: "/search" },
    ],
  });
}

/** Lets browsers search this site from their address bar; `base` is the origin of the site. */
export function renderOpenSearch(words: Translator, base: string): string {
  const at = (path: string) => escapeMarkup(`${base}${path}`);
  return `${xml}<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Suzume</ShortName>
<Description>${escapeMarkup(words.t("machine.search"))}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">${at("/favicon.ico")}</Image>
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
