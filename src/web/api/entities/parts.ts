import type { Ctx } from "../../../context.ts";
import type { MentionedUser, User } from "../../../domain/users/store.ts";
import { escapeMarkup, presentText, type TextPart } from "../../layout/text.ts";

/** For whom entities are presented. */
export interface ApiView {
  ctx: Ctx;
  viewer: User | undefined;
  /** Origin of the site, such as "https://example.org". */
  site: string;
}

declare const serialized: unique symbol;

/** JSON of a value. Larger answers contain it as it is, so that an account or a status is serialized once. */
export type Json = string & { readonly [serialized]: true };

export function toJson(value: unknown): Json {
  return JSON.stringify(value) as Json;
}

export function listOf(items: readonly Json[]): Json {
  return `[${items.join(",")}]` as Json;
}

/** The object with these fields as well; undefined ones are left out. */
export function withFields(object: Json, fields: Readonly<Record<string, Json | undefined>>): Json {
  let json: string = object.slice(0, -1);
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) json += `${json === "{" ? "" : ","}"${name}":${value}`;
  return `${json}}` as Json;
}

/**
 * A text as the HTML that clients of the API expect: paragraphs, and links with the classes by which
 * they know mentions and hashtags and open these themselves. Everything typed is escaped.
 */
export function contentOf(
  text: string,
  mentions: readonly MentionedUser[] | undefined,
  site: string,
): string {
  const parts = presentText(text, mentions).map((part) => appPart(part, site));
  // No attribute has a line break in it: addresses are encoded.
  const paragraphs = parts
    .join("")
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== "");
  return paragraphs.map((one) => `<p>${one.replaceAll("\n", "<br />")}</p>`).join("");
}

function appPart({ text, href, outward }: TextPart, site: string): string {
  if (href === undefined) return escapeMarkup(text);
  if (outward === true) return outwardLink(href);
  const url = escapeMarkup(`${site}${href}`);
  const [sign = "", ...letters] = text;
  const inner = `${escapeMarkup(sign)}<span>${escapeMarkup(letters.join(""))}</span>`;
  if (href.startsWith("/tags/"))
    return `<a href="${url}" class="mention hashtag" rel="tag">${inner}</a>`;
  return `<span class="h-card"><a href="${url}" class="u-url mention">${inner}</a></span>`;
}

/** Max characters of an address that are shown. */
const shownCharacters = 30;

/**
 * A link with the whole address as its text, for apps that show text only. Others hide its ends by their style for
 * these classes, as with Mastodon.
 */
export function outwardLink(href: string): string {
  const [scheme = ""] = /^https?:\/\/(www\.)?/i.exec(href) ?? [];
  // Addresses are encoded: each character is one of ASCII.
  const end = scheme.length + shownCharacters;
  const text =
    span("invisible", scheme) +
    span(href.length > end ? "ellipsis" : "", href.slice(scheme.length, end)) +
    span("invisible", href.slice(end));
  const rel = 'rel="nofollow noopener noreferrer" target="_blank"';
  return `<a href="${escapeMarkup(href)}" ${rel}>${text}</a>`;
}

function span(name: string, text: string): string {
  return `<span class="${name}">${escapeMarkup(text)}</span>`;
}
