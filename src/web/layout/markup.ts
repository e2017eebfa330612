import type { Tweet } from "../../domain/tweets/tweet.ts";
import { cleanLine } from "../../domain/users/display-text.ts";
import type { TextPart } from "./text.ts";

/** Not allowed in XML 1.0: control characters, lone surrogates, two noncharacters. */
const noXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for content and attributes of XML and HTML. Contains no "]]>", so it may be in CDATA too. */
export function escapeMarkup(text: string): string {
  return fitXml(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Removes what would make XML invalid; does not escape. */
export function fitXml(text: string): string {
  return text.replaceAll(noXml, "");
}

/** A tweet's text as XHTML for other sites; links are absolute and start with `base`. */
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

/** An attribute that names the language of a tweet, or nothing. */
export function langOf({ language }: Tweet): string {
  return language === undefined ? "" : ` lang="${escapeMarkup(language)}"`;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text on one line, cut after `limit` graphemes. */
export function clip(text: string, limit: number): string {
  const line = cleanLine(text);
  if (line.length <= limit) return line;
  const graphemes = Array.from(segmenter.segment(line), ({ segment }) => segment);
  if (graphemes.length <= limit) return line;
  return `${graphemes.slice(0, limit).join("").trimEnd()}…`;
}
