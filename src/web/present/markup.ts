import type { TextPart } from "./text.ts";

/** What XML 1.0 cannot hold: control characters, lone surrogates, two noncharacters. */
const noXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as content or attribute of XML or HTML. No "]]>" remains, so it may stand in CDATA too. */
export function escapeMarkup(text: string): string {
  return fitXml(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** The text without what would make XML invalid; not escaped. */
export function fitXml(text: string): string {
  return text.replaceAll(noXml, "");
}

/** A tweet's text as XHTML for other sites: links are absolute, on top of `base`. */
export function markUp(parts: readonly TextPart[], base: string): string {
  return parts.map((part) => markUpPart(part, base)).join("");
}

function markUpPart({ text, href, outward }: TextPart, base: string): string {
  const shown = escapeMarkup(text).replaceAll("\n", "<br />");
  if (href === undefined) return shown;
  const rel = outward === true ? ' rel="nofollow noopener ugc"' : "";
  const address = outward === true ? href : `${base}${href}`;
  return `<a href="${escapeMarkup(address)}"${rel}>${shown}</a>`;
}
