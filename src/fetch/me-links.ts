/** Elements whose content is text, whatever it looks like. */
const rawText = new Set(["script", "style", "title", "textarea", "iframe", "noscript", "xmp"]);

/**
 * Addresses of the links with rel="me" in a page. Reads tags as browsers do, so that text in comments, scripts and
 * attributes, which may be a stranger's, is no link. The rest of a page that is cut in a tag is not read.
 */
export function meLinks(html: string, base: string): URL[] {
  const links: URL[] = [];
  for (const { name, attributes } of tagsIn(html)) {
    if (name !== "a" && name !== "link") continue;
    const href = attributes.get("href") ?? "";
    const rels = (attributes.get("rel") ?? "").toLowerCase().split(/\s+/);
    if (rels.includes("me") && URL.canParse(href, base)) links.push(new URL(href, base));
  }
  return links;
}

/** The alternatives of a repetition begin with different characters, so the time is linear. */
const openTag = /<([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/iy;

function* tagsIn(html: string) {
  let at = html.indexOf("<");
  while (at !== -1) {
    let end = at + 1;
    if (html.startsWith("<!--", at)) end = after(html, "-->", at + 4);
    else if (/[a-z]/i.test(html.charAt(at + 1))) {
      openTag.lastIndex = at;
      const [tag = "", spelled = "", rest = ""] = openTag.exec(html) ?? [];
      if (tag === "") return;
      const name = spelled.toLowerCase();
      yield { name, attributes: attributesIn(rest) };
      end = at + tag.length;
      if (rawText.has(name)) end = endOfText(html, name, end);
    }
    at = end === -1 ? -1 : html.indexOf("<", end);
  }
}

/** Where the text `mark` ends; -1 if it does not come any more. */
function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function endOfText(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

/** The first of two with the same name counts. */
function attributesIn(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const spelled = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
  for (const [, name = "", double, single, bare] of text.matchAll(spelled)) {
    const value = (double ?? single ?? bare ?? "").replaceAll("&amp;", "&");
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value);
  }
  return attributes;
}
