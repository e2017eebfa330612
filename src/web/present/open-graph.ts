import type { Translator } from "../languages/translator.ts";

/** Part of a link preview on other sites; each becomes a meta element. */
export interface OpenGraphTag {
  property: string;
  content: string;
}

export interface OpenGraph {
  type: "website" | "article" | "profile";
  title: string;
  /** Left out if empty. */
  description: string;
  /** Absolute. */
  url: string;
}

/** For pages without a picture. PNG, as few link previews support SVG. */
const icon = "/icon.png";

/** `base` is the origin of the site. */
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

/** The protocol requires a territory: "en_US", "ja_JP". Default: the main territory of the language. */
function localeOf(language: string): string {
  const { language: short, region = "" } = new Intl.Locale(language).maximize();
  return `${short}_${region}`;
}

/** Preview of the site as a whole. */
export function siteOpenGraph(words: Translator, base: string): OpenGraphTag[] {
  const description = words.t("machine.site");
  const graph = { type: "website", title: "Suzume", description, url: `${base}/` } as const;
  return presentOpenGraph(words, base, graph);
}
