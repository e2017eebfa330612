import type { SiteSettings } from "../../domain/site/settings.ts";
import type { Translator } from "../languages/translator.ts";
import { iconPath } from "./branding.ts";

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

/** Tags of a page; presentSiteTags has those that are the same on all pages. */
export function presentOpenGraph(
  words: Translator,
  { type, title, description, url, picture }: OpenGraph,
): OpenGraphTag[] {
  const locale = localeOf(words.language);
  const tags = { type, title, description, url, locale };
  const about = picture && {
    image: picture.src,
    "image:width": String(picture.width),
    "image:height": String(picture.height),
    "image:alt": picture.alt,
  };
  return tagsOf({ ...tags, ...about });
}

/** Name and picture of the site. PNG, as few link previews support SVG. `base` is the origin of the site. */
export function presentSiteTags(site: SiteSettings, base: string): OpenGraphTag[] {
  return tagsOf({ image: `${base}${iconPath(site, "icon.png")}`, site_name: site.name });
}

function tagsOf(contents: Readonly<Record<string, string>>): OpenGraphTag[] {
  return Object.entries(contents)
    .filter(([, content]) => content !== "")
    .map(([name, content]) => ({ property: `og:${name}`, content }));
}

/** What the site is, in one line. */
export function taglineOf(words: Translator, { tagline }: SiteSettings): string {
  return tagline || words.t("machine.site");
}

/** The protocol requires a territory: "en_US", "ja_JP". Default: the main territory of the language. */
function localeOf(language: string): string {
  const { language: short, region = "" } = new Intl.Locale(language).maximize();
  return `${short}_${region}`;
}

/** Preview of the site as a whole. */
export function siteOpenGraph(words: Translator, site: SiteSettings, base: string): OpenGraphTag[] {
  return presentOpenGraph(words, {
    type: "website",
    title: site.name,
    description: taglineOf(words, site),
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
