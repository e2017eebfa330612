import { escapeMarkup } from "./markup.ts";

/** Entry of a sitemap: a page of the site or a part of the sitemap. */
export interface Place {
  /** Absolute. */
  url: string;
  changed?: Date;
}

const start = '<?xml version="1.0" encoding="utf-8"?>\n';
const space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

export function renderSitemap(places: Place[]): string {
  return `${start}<urlset ${space}>\n${spell("url", places)}</urlset>\n`;
}

export function renderSitemapIndex(places: Place[]): string {
  return `${start}<sitemapindex ${space}>\n${spell("sitemap", places)}</sitemapindex>\n`;
}

function spell(element: string, places: Place[]): string {
  return places
    .map(({ url, changed }) => {
      const lastmod = changed ? `<lastmod>${changed.toISOString()}</lastmod>` : "";
      return `<${element}><loc>${escapeMarkup(url)}</loc>${lastmod}</${element}>\n`;
    })
    .join("");
}
