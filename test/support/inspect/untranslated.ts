/** An open element at the current position in the page. */
interface Open {
  tag: string;
  attributes: Map<string, string>;
  /** Its text is not the site's. */
  isForeign: boolean;
}

const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Their text is for machines, or code in every language. */
const codes = new Set(["script", "style", "code", "kbd"]);
const spoken = ["alt", "aria-label", "data-empty", "data-long", "label", "placeholder", "title"];
/** Texts of sample-content.ts and visitor.ts on pages: names, tags and addresses. */
const scene =
  /[@#][\p{L}\p{N}_]+|Test \w+|Writer 雀 Demo|Birdwatch|\b(?:app\.)?example(?:\.org\S*)?|\b(?:lottery|seeds|zzz)\b/gu;
/** Names and beginnings of addresses, which are the same in every language. */
const names = /Suzume|oEmbed \((JSON|XML)\)|https?:\/\//g;
/** Words of English dates by Intl. */
const dates =
  /\b(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\bat\b|\bUTC\b|\b[AP]M\b/g;

/**
 * Texts of a page in the pseudo-language outside of the brackets of messages, each once with its element:
 * "p.quiet: None.". A message may contain elements; brackets that do not close in the element in
 * which they open are reported, too.
 */
export function untranslated(html: string): string[] {
  const found: string[] = [];
  const path: Open[] = [];
  let depth = 0;
  /** Number of open elements when the bracket opened. */
  let openedAt = 0;
  const close = () => {
    path.pop();
    if (depth === 0 || path.length >= openedAt) return;
    found.push(`${nameOf(path.at(-1))}: a message that does not end`);
    depth = 0;
  };
  for (const [token] of html.matchAll(/<!--.*?-->|<(?:"[^"]*"|[^">])*>|[^<]+/gs)) {
    if (/^<[!?]/.test(token)) continue;
    if (token.startsWith("</")) close();
    else if (token.startsWith("<")) {
      const element = read(token, path.at(-1));
      found.push(...attributesOf(element));
      path.push(element);
      if (empty.has(element.tag) || token.endsWith("/>")) close();
    } else if (path.at(-1)?.isForeign !== true) {
      if (depth === 0) openedAt = path.length;
      const [outside, after] = outsideOf(unescape(token), depth);
      depth = after;
      const own = ownWords(outside, path.at(-1));
      if (own !== "") found.push(`${nameOf(path.at(-1))}: ${own}`);
    }
  }
  return [...new Set(found)];
}

function read(token: string, parent: Open | undefined): Open {
  const tag = /^<([\w-]+)/.exec(token)?.[1] ?? "";
  const pairs = token.matchAll(/\s([\w:-]+)(?:="([^"]*)")?/g);
  const attributes = new Map(
    [...pairs].map(([, name = "", value = ""]) => [name, unescape(value)] as const),
  );
  const isOwnLanguage = attributes.has("lang") && tag !== "html";
  const isTyped = attributes.get("dir") === "auto" && tag !== "input";
  const isWords = attributes.get("id") === "words";
  const isForeign = codes.has(tag) || isOwnLanguage || isTyped || isWords;
  return { tag, attributes, isForeign: isForeign || parent?.isForeign === true };
}

function attributesOf(element: Open): string[] {
  const { tag, attributes } = element;
  const isButton = tag === "input" && /^(submit|button)$/.test(attributes.get("type") ?? "");
  return [...spoken, ...(isButton ? ["value"] : [])].flatMap((name) => {
    const [outside, depth] = outsideOf(attributes.get(name) ?? "", 0);
    const own = ownWords(outside, element);
    if (own !== "") return [`${nameOf(element)} ${name}: ${own}`];
    return depth === 0 ? [] : [`${nameOf(element)} ${name}: a message that does not end`];
  });
}

/** The text outside of brackets, and the number of brackets that stay open. */
function outsideOf(text: string, before: number): [string, number] {
  let depth = before;
  let outside = "";
  for (const character of text) {
    if (character === "⟦") depth += 1;
    else if (character === "⟧") depth -= 1;
    else if (depth === 0) outside += character;
  }
  return [outside, depth];
}

/** The site's own words in a text; empty if there are none. */
function ownWords(text: string, element: Open | undefined): string {
  const left = text.replaceAll(scene, "").replaceAll(names, "");
  const undated = element?.tag === "time" ? left.replaceAll(dates, "") : left;
  return /\p{L}/u.test(undated) ? text.trim().replaceAll(/\s+/g, " ") : "";
}

function nameOf(element: Open | undefined): string {
  if (element === undefined) return "page";
  const [name] = (element.attributes.get("class") ?? "").split(" ");
  return name === undefined || name === "" ? element.tag : `${element.tag}.${name}`;
}

function unescape(html: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", nbsp: " " };
  return html.replaceAll(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity);
}
