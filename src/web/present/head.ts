import type { Translator } from "../languages/translator.ts";

/** Part of a link preview on other sites; each becomes a meta element. */
export interface OpenGraphTag {
  property: string;
  content: string;
}

interface OpenGraph {
  type: "website" | "article" | "profile";
  title: string;
  /** Left out if empty. */
  description: string;
  /** Absolute. */
  url: string;
  /** Absolute address of a picture and what is on it; default: the icon. */
  picture?: { src: string; width: number; height: number; alt: string } | undefined;
}

/** For pages without a picture. PNG, as few link previews support SVG. */
const icon = "/icon.png";

/** `base` is the origin of the site. */
export function presentOpenGraph(
  words: Translator,
  base: string,
  { type, title, description, url, picture }: OpenGraph,
): OpenGraphTag[] {
  const image = picture?.src ?? `${base}${icon}`;
  const locale = localeOf(words.language);
  const tags = { type, title, description, url, image, site_name: "Suzume", locale };
  const about = picture && {
    "image:width": String(picture.width),
    "image:height": String(picture.height),
    "image:alt": picture.alt,
  };
  return Object.entries({ ...tags, ...about })
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
  return presentOpenGraph(words, base, {
    type: "website",
    title: "Suzume",
    description,
    url: `${base}/`,
  });
}

/** Another format of a page, for programs; becomes a link in the page's head. */
interface AlternateView {
  type: string;
  /** Absolute. */
  href: string;
  title: string;
}

/** Feeds of a user; `url` is the profile's. */
export function feedAlternates(words: Translator, url: string, name: string): AlternateView[] {
  const title = (format: string) => words.t("feed.link", { name, format });
  return [
    { type: "application/rss+xml", href: `${url}.rss`, title: title("RSS") },
    { type: "application/atom+xml", href: `${url}.atom`, title: title("Atom") },
    { type: "application/feed+json", href: `${url}.json`, title: title("JSON Feed") },
  ];
}

/** Descriptions for embedding a page in other sites; `base` is the origin of this site. */
export function embedAlternates(base: string, url: string): AlternateView[] {
  const href = `${base}/oembed?url=${encodeURIComponent(url)}`;
  return [
    { type: "application/json+oembed", href, title: "oEmbed (JSON)" },
    { type: "text/xml+oembed", href: `${href}&format=xml`, title: "oEmbed (XML)" },
  ];
}
