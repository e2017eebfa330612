/** What a link of a post leads to, and how it is written. */
interface HtmlLink {
  href: string;
  text: string;
  /** Words of its attribute `class`. */
  kinds: readonly string[];
}

/** A tag, or text up to the next one. Linear, as a name ends at one place. */
const token = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])([^<>]{0,4000})>|[^<]+|</gi;
const attribute = /\b(href|class)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
};

/**
 * The text of a post that is simple HTML: paragraphs are apart by an empty line, and `linkText` says what takes the
 * place of a link. What is no tag is text: nothing of this is ever shown as HTML.
 */
export function textOfHtml(html: string, linkText: (link: HtmlLink) => string): string {
  let text = "";
  let link: HtmlLink | undefined;
  const add = (piece: string) => {
    if (link === undefined) text += piece;
    else link.text += piece;
  };
  const endLink = () => {
    if (link !== undefined) text += linkText(link);
    link = undefined;
  };
  for (const [whole, slash, name, attributes = ""] of html.matchAll(token)) {
    const tag = name?.toLowerCase();
    if (tag === undefined) add(unescapeHtml(whole));
    else if (tag === "br") add("\n");
    else if (tag === "p" || tag === "blockquote" || tag === "li") add(slash === "" ? "" : "\n\n");
    else if (tag === "a") {
      endLink();
      if (slash === "") link = linkOf(attributes);
    }
  }
  endLink();
  return text.trim();
}

function linkOf(attributes: string): HtmlLink {
  const values: Record<string, string> = {};
  for (const [, name = "", double, single] of attributes.matchAll(attribute))
    values[name.toLowerCase()] ??= unescapeHtml(double ?? single ?? "");
  const { href = "", class: classes = "" } = values;
  return { href, text: "", kinds: classes.split(/\s+/) };
}

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,6}));/gi, (...match) => {
    const [whole, decimal, hex, name] = match as [string, string?, string?, string?];
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
