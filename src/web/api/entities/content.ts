import { escapeMarkup } from "../../present/markup.ts";
import type { TextPart } from "../../present/text.ts";

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
  if (outward === true) return outwardLink(href, text);
  const address = escapeMarkup(`${site}${href}`);
  const [sign = "", ...letters] = text;
  const inner = `${escapeMarkup(sign)}<span>${escapeMarkup(letters.join(""))}</span>`;
  if (href.startsWith("/tags/"))
    return `<a href="${address}" class="mention hashtag" rel="tag">${inner}</a>`;
  return `<span class="h-card"><a href="${address}" class="u-url mention">${inner}</a></span>`;
}

export function outwardLink(href: string, text: string): string {
  const rel = 'rel="nofollow noopener noreferrer" target="_blank"';
  return `<a href="${escapeMarkup(href)}" ${rel}>${escapeMarkup(text)}</a>`;
}
