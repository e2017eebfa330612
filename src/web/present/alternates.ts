import type { Translator } from "../languages/translator.ts";

/** Another format of a page, for programs; becomes a link in the page's head. */
export interface AlternateView {
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
