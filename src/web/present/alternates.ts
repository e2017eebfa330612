import type { Translator } from "../languages/translator.ts";

/** The same as a page, for programs; becomes a link in the page's head. */
export interface AlternateView {
  type: string;
  /** Absolute. */
  href: string;
  title: string;
}

/** Where to subscribe to what somebody writes; `url` is that of their profile. */
export function feedAlternates(words: Translator, url: string, name: string): AlternateView[] {
  const title = (format: string) => words.t("feed.link", { name, format });
  return [
    { type: "application/rss+xml", href: `${url}.rss`, title: title("RSS") },
    { type: "application/atom+xml", href: `${url}.atom`, title: title("Atom") },
    { type: "application/feed+json", href: `${url}.json`, title: title("JSON Feed") },
  ];
}

/** How other sites may show a tweet; `base` is where the site is. */
export function embedAlternates(base: string, url: string): AlternateView[] {
  const href = `${base}/oembed?url=${encodeURIComponent(url)}`;
  return [
    { type: "application/json+oembed", href, title: "oEmbed (JSON)" },
    { type: "text/xml+oembed", href: `${href}&format=xml`, title: "oEmbed (XML)" },
  ];
}
