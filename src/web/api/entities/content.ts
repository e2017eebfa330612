import { memo } from "../../../domain/memo.ts";
import type { Ctx } from "../../../context.ts";
import { mentionsIn } from "../../../domain/tweets/text.ts";
import { findMentioned, type MentionedUser, type User } from "../../../domain/users/store.ts";
import { escapeMarkup, type TextPart } from "../../layout/text.ts";

/**
 * A text as the HTML that clients of the API expect: paragraphs, and links with the classes by which
 * they know mentions and hashtags and open these themselves. Everything typed is escaped.
 */
export function contentOf(parts: readonly TextPart[], site: string): string {
  const html = parts.map((part) => markUpPart(part, site)).join("");
  // No attribute has a line break in it: addresses are encoded.
  const paragraphs = html.split(/\n{2,}/).filter((paragraph) => paragraph !== "");
  return paragraphs.map((one) => `<p>${one.replaceAll("\n", "<br />")}</p>`).join("");
}

function markUpPart({ text, href, outward }: TextPart, site: string): string {
  if (href === undefined) return escapeMarkup(text);
  if (outward === true) return outwardLink(href);
  const address = escapeMarkup(`${site}${href}`);
  const [sign = "", ...letters] = text;
  const inner = `${escapeMarkup(sign)}<span>${escapeMarkup(letters.join(""))}</span>`;
  if (href.startsWith("/tags/"))
    return `<a href="${address}" class="mention hashtag" rel="tag">${inner}</a>`;
  return `<span class="h-card"><a href="${address}" class="u-url mention">${inner}</a></span>`;
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

/** Folded names in the bio, by the object, which is the same until the user changes. */
const namesIn = memo(({ bio }: User): readonly string[] => mentionsIn(bio));

/** The users whom the bios of these users name; two round trips, or none. */
export async function readBioMentions(
  ctx: Ctx,
  users: Iterable<User>,
): Promise<readonly MentionedUser[]> {
  const names = new Set([...users].flatMap(namesIn));
  return names.size === 0 ? [] : await findMentioned(ctx, [...names]);
}

const none: readonly MentionedUser[] = [];

/** The `mentioned` users who are named in the bio of the user, in its order. */
export function mentionsOf(
  user: User,
  mentioned: readonly MentionedUser[],
): readonly MentionedUser[] {
  const names = namesIn(user);
  if (names.length === 0) return none;
  return names.flatMap((named) => mentioned.find(({ name }) => name === named) ?? []);
}

export function areSame(one: readonly MentionedUser[], other: readonly MentionedUser[]): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]?.id);
}
