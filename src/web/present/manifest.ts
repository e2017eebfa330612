import type { Translator } from "../languages/translator.ts";

const icons = [
  { src: "/favicon.svg", sizes: "any", type: "image/svg+xml" },
  { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
  { src: "/icon.png", sizes: "512x512", type: "image/png" },
  { src: "/icon-maskable.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
];

/** The web app manifest, with which devices install the site. */
export function renderManifest(words: Translator): string {
  return JSON.stringify({
    id: "/",
    name: "Suzume",
    short_name: "Suzume",
    description: words.t("machine.site"),
    lang: words.language,
    start_url: "/",
    scope: "/",
    display: "standalone",
    // Background of the light theme: manifests cannot have two.
    theme_color: "#f8f3ec",
    background_color: "#f8f3ec",
    categories: ["social"],
    icons,
    shortcuts: [
      { name: words.t("machine.write"), url: "/#text" },
      { name: words.t("nav.notifications"), url: "/notifications" },
      { name: words.t("nav.search"), url: "/search" },
    ],
  });
}
