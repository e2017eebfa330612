import { LinkifyIt } from "linkify-it";

/** A piece of a tweet's text: plain, or a link. Templates escape both. */
export interface TextPart {
  text: string;
  href?: string;
}

const linkify = new LinkifyIt({
  fuzzyLink: false,
  fuzzyEmail: false,
  urlAuth: true,
  maxLength: 2048,
})
  .add("ftp:", null)
  .add("mailto:", null)
  .add("//", null);

/** A link shows its host and the beginning of its path, at most this many characters. */
const shownLimit = 40;

/** Text with its http(s) addresses made links; joined, the parts' texts tell the same as `text`. */
export function presentText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { index, lastIndex, url } of linkify.match(text) ?? []) {
    if (!isWeb(url)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: shorten(text.slice(index, lastIndex)), href: url });
    end = lastIndex;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** An address with a name and password in it is seen whole, and left alone: it is meant to mislead. */
function isWeb(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function shorten(address: string): string {
  const bare = address.replace(/^https?:\/\/(www\.)?/i, "");
  const characters = [...bare];
  return characters.length > shownLimit ? `${characters.slice(0, shownLimit).join("")}…` : bare;
}
