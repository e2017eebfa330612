import { escapeMarkup } from "./markup.ts";

/** Entry of a sitemap: a page of the site or a part of the sitemap. */
export interface SitemapEntry {
  /** Absolute. */
  url: string;
  changed?: Date;
}

const start = '<?xml version="1.0" encoding="utf-8"?>\n';
const space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

export function renderSitemap(entries: SitemapEntry[]): string {
  return `${start}<urlset ${space}>\n${serialize("url", entries)}</urlset>\n`;
}

export function renderSitemapIndex(entries: SitemapEntry[]): string {
  return `${start}<sitemapindex ${space}>\n${serialize("sitemap", entries)}</sitemapindex>\n`;
}

function serialize(element: string, entries: SitemapEntry[]): string {
  return entries
    .map(({ url, changed }) => {
      const lastmod = changed ? `<lastmod>${changed.toISOString()}</lastmod>` : "";
      return `<${element}><loc>${escapeMarkup(url)}</loc>${lastmod}</${element}>\n`;
    })
    .join("");
}
