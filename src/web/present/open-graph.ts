import type { Words } from "../languages/words.ts";

/** What other sites show of a link to a page; each value becomes a meta element. */
export interface OpenGraphTag {
  property: string;
  content: string;
}

export interface OpenGraph {
  type: "website" | "article" | "profile";
  title: string;
  /** Left out if it is empty. */
  description: string;
  /** Absolute. */
  url: string;
}

/** For what has no picture of its own: PNG, as few of those who show links draw SVG. */
const icon = "/icon.png";

/** `base` is where the site is, without a path. */
export function presentOpenGraph(base: string, graph: OpenGraph): OpenGraphTag[] {
  const { type, title, description, url } = graph;
  const image = `${base}${icon}`;
  const tags = { type, title, description, url, image, site_name: "Suzume" };
  return Object.entries(tags)
    .filter(([, content]) => content !== "")
    .map(([name, content]) => ({ property: `og:${name}`, content }));
}

/** Of the site as a whole. */
export function siteOpenGraph(words: Words, base: string): OpenGraphTag[] {
  const description = words.t("site.description");
  return presentOpenGraph(base, { type: "website", title: "Suzume", description, url: `${base}/` });
}
