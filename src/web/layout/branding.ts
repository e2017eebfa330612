import { createHash } from "node:crypto";
import { memo } from "../../domain/memo.ts";
import { palettesOf } from "../../domain/site/accent.ts";
import type { LogoFile } from "../../domain/drawing/logo.ts";
import type { SiteSettings } from "../../domain/site/settings.ts";
import { presentText, type TextPart } from "./text.ts";
import type { Translator } from "../languages/translator.ts";

export type Branding = ReturnType<typeof presentBranding>;

/** What all pages show of the site itself. Undefined: Suzume's own colours, the sparrow. */
export const presentBranding = memo((site: Pick<SiteSettings, "name" | "accent" | "logo">) => {
  const { name, accent, logo } = site;
  const at = (file: LogoFile) => `/logo/${logo}/${file}`;
  const pictures = {
    mark: at("favicon.png"),
    large: at("logo.webp"),
    touch: at("apple-touch-icon.png"),
  };
  return {
    name,
    stylesheet: accent === "" ? undefined : `/accent/${accent.slice(1)}.css`,
    logo: logo === "" ? undefined : pictures,
  };
});

/** Path of an icon of the site: the logo's, which changes with it, or the sparrow's. */
export function iconPath(
  { logo }: SiteSettings,
  file: "icon.png" | "icon-192.png" | "icon-maskable.png",
): string {
  return logo === "" ? `/${file}` : `/logo/${logo}/${file}`;
}

/** Undefined for a colour that cannot be an accent. */
export function renderAccent(accent: string): string | undefined {
  const palettes = palettesOf(accent);
  if (palettes === undefined) return undefined;
  const { day, night } = palettes;
  const line = (token: string, shade: keyof typeof day) =>
    `--${token}:light-dark(${day[shade]},${night[shade]});`;
  const accents = line("accent", "accent") + line("accent-hover", "hover");
  const others = line("on-accent", "on") + line("accent-soft", "soft");
  return `@layer tokens{:root{${accents}${others}}}\n`;
}

/** The rules of the site, one a line. */
export function presentRules({ rules }: SiteSettings): string[] {
  return rules.split("\n").filter((line) => line.trim() !== "");
}

/** Paragraphs of a long text, with links as tweets have them. */
export function presentParagraphs(text: string): TextPart[][] {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => presentText(paragraph.trim()));
}

/** The announcement, unless this is the one that the viewer has put away. */
export function presentAnnouncement({ announcement }: SiteSettings, putAway: string) {
  if (announcement === "") return undefined;
  const digest = createHash("sha256").update(announcement).digest("hex").slice(0, 16);
  return digest === putAway ? undefined : { parts: presentText(announcement), digest };
}

/** Parts of a link preview on other sites; each becomes a meta element. */
export type OpenGraphTags = ReturnType<typeof tagsOf>;

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
): OpenGraphTags {
  const tags = { type, title, description, url, locale: localeOf(words.language) };
  const about = picture && {
    image: picture.src,
    "image:width": String(picture.width),
    "image:height": String(picture.height),
    "image:alt": picture.alt,
  };
  return tagsOf({ ...tags, ...about });
}

/** Name and picture of the site. PNG, as few link previews support SVG. `base` is the origin of the site. */
export function presentSiteTags(site: SiteSettings, base: string): OpenGraphTags {
  return tagsOf({ image: `${base}${iconPath(site, "icon.png")}`, site_name: site.name });
}

function tagsOf(contents: Readonly<Record<string, string>>) {
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
export function siteOpenGraph(words: Translator, site: SiteSettings, base: string): OpenGraphTags {
  return presentOpenGraph(words, {
    type: "website",
    title: site.name,
    description: taglineOf(words, site),
    url: `${base}/`,
  });
}

/** Feeds of a user, as links in the page's head; `url` is the profile's, absolute. */
export function feedAlternates(words: Translator, url: string, name: string) {
  const title = (format: string) => words.t("feed.link", { name, format });
  return [
    { type: "application/rss+xml", href: `${url}.rss`, title: title("RSS") },
    { type: "application/atom+xml", href: `${url}.atom`, title: title("Atom") },
    { type: "application/feed+json", href: `${url}.json`, title: title("JSON Feed") },
  ];
}

/** Links to descriptions for embedding a page in other sites; `base` is the origin of this site. */
export function embedAlternates(base: string, url: string) {
  const href = `${base}/oembed?url=${encodeURIComponent(url)}`;
  return [
    { type: "application/json+oembed", href, title: "oEmbed (JSON)" },
    { type: "text/xml+oembed", href: `${href}&format=xml`, title: "oEmbed (XML)" },
  ];
}
