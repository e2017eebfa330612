import { createHash } from "node:crypto";
import { palettesOf } from "../../domain/site/accent.ts";
import type { LogoFile } from "../../domain/drawing/logo.ts";
import type { SiteSettings } from "../../domain/site/settings.ts";
import { presentText, type TextPart } from "./text.ts";

/** What all pages show of the site itself. */
export interface Branding {
  name: string;
  /** Stylesheet of the accent; undefined: Suzume's own colours. */
  stylesheet: string | undefined;
  /** Pictures of the logo; undefined: the sparrow. */
  logo: { mark: string; large: string; touch: string } | undefined;
}

export function presentBranding({
  name,
  accent,
  logo,
}: Pick<SiteSettings, "name" | "accent" | "logo">): Branding {
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
}

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
  const tokens = {
    accent: [day.accent, night.accent],
    "accent-hover": [day.hover, night.hover],
    "on-accent": [day.on, night.on],
    "accent-soft": [day.soft, night.soft],
  };
  const lines = Object.entries(tokens).map(
    ([token, [light, dark]]) => `--${token}:light-dark(${light},${dark});`,
  );
  return `@layer tokens{:root{${lines.join("")}}}\n`;
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
