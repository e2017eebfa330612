import type { Translator } from "../languages/translator.ts";

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
export function presentOpenGraph(
  words: Translator,
  base: string,
  graph: OpenGraph,
): OpenGraphTag[] {
  const { type, title, description, url } = graph;
  const image = `${base}${icon}`;
  const locale = localeOf(words.language);
  const tags = { type, title, description, url, image, site_name: "Suzume", locale };
  return Object.entries(tags)
    .filter(([, content]) => content !== "")
    .map(([name, content]) => ({ property: `og:${name}`, content }));
}

/** The protocol wants a territory, too: "en_US", "ja_JP", each language's own unless its tag says one. */
function localeOf(language: string): string {
  const { language: short, region = "" } = new Intl.Locale(language).maximize();
  return `${short}_${region}`;
}

/** Of the site as a whole. */
export function siteOpenGraph(words: Translator, base: string): OpenGraphTag[] {
  const description = words.t("machine.site");
  const graph = { type: "website", title: "Suzume", description, url: `${base}/` } as const;
  return presentOpenGraph(words, base, graph);
}
