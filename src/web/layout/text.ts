import type { TweetId } from "../../domain/ids.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { MentionedUser } from "../../domain/users/store.ts";
import { type Entity, parseEntities } from "../../domain/tweets/text.ts";
import { cleanLine } from "../../domain/users/display-text.ts";

/** A piece of a tweet's text: plain, or a link. Templates escape both. */
export interface TextPart {
  text: string;
  href?: string;
  /** True for links to other sites. */
  outward?: boolean;
}

/** Max characters of a link as shown: its host and the beginning of its path. */
const shownLimit = 40;

/** What is shown of a tweet where nothing can be folded. */
export function presentShownFirst(tweet: Tweet): TextPart[] {
  const { warning, mentions } = tweet;
  return warning === undefined ? presentText(tweet.text, mentions) : [{ text: warning }];
}

/** Splits a text: http(s) addresses, #tags and mentioned users become links. Together the parts read like `text`. */
export function presentText(text: string, mentions: readonly MentionedUser[] = []): TextPart[] {
  const names = new Set(mentions.map(({ name }) => name));
  const parts: TextPart[] = [];
  for (const entity of parseEntities(text)) {
    const part = presentEntity(entity, names);
    const last = parts.at(-1);
    // A name without an account is plain text.
    if (part.href === undefined && last !== undefined && last.href === undefined)
      last.text += part.text;
    else parts.push(part);
  }
  return parts;
}

function presentEntity(entity: Entity, names: Set<string>): TextPart {
  const { text } = entity;
  if (entity.kind === "link") return { text: shorten(text), href: entity.url, outward: true };
  if (entity.kind === "hashtag") return { text, href: `/tags/${encodeURIComponent(entity.tag)}` };
  const isPerson = entity.kind === "mention" && names.has(entity.name);
  return isPerson ? { text, href: `/@${entity.name}` } : { text };
}

/** Without the link to a quoted tweet at the end: the quote is shown below. With several links to it as it is. */
export function withoutQuoteLink(parts: TextPart[], quoted: TweetId): TextPart[] {
  const isToQuote = ({ href, outward }: TextPart) =>
    outward === true && href !== undefined && new URL(href).pathname === `/tweets/${quoted}`;
  const last = parts.at(-1);
  if (last === undefined || !isToQuote(last) || parts.filter(isToQuote).length > 1) return parts;
  const rest = parts.slice(0, -1);
  const end = rest.pop();
  if (end === undefined) return [];
  const text = end.href === undefined ? end.text.trimEnd() : end.text;
  return text === "" ? rest : [...rest, { ...end, text }];
}

/** An http(s) address as shown: without the parts that add nothing. */
export function shorten(address: string): string {
  const bare = address.replace(/^https?:\/\/(www\.)?/i, "");
  const characters = [...bare];
  return characters.length > shownLimit ? `${characters.slice(0, shownLimit).join("")}…` : bare;
}

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
