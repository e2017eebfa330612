/** An item of a page as parsers of microformats2 read it; values of `p-…`, `u-…`, `dt-…` and `e-…` without prefix. */
export interface Item {
  type: string;
  properties: Record<string, (string | Item)[]>;
  /** Items that are no property of this one. */
  children: Item[];
}

interface Node {
  name: string;
  attributes: Record<string, string>;
  children: (Node | string)[];
}

/** A small parser: explicit properties and nested items; of implied ones only those of an h-card that is a link. */
export function itemsOn(html: string): Item[] {
  const found: Item[] = [];
  for (const child of parse(html).children) collect(child, undefined, found);
  return found;
}

/** All rel="me" links of a page. */
export function meLinksOn(html: string): string[] {
  return all(parse(html))
    .filter(({ attributes }) => (attributes["rel"] ?? "").split(" ").includes("me"))
    .map(({ attributes }) => attributes["href"] ?? "");
}

function collect(node: Node | string, item: Item | undefined, top: Item[]): void {
  if (typeof node === "string") return;
  const classes = (node.attributes["class"] ?? "").split(" ");
  const type = classes.find((name) => /^h-[a-z]/.test(name));
  const names = classes.filter((name) => /^(p|u|dt|e)-[a-z]/.test(name));
  const own: Item | undefined =
    type === undefined ? undefined : { type, properties: {}, children: [] };
  if (own !== undefined) {
    for (const child of node.children) collect(child, own, top);
    imply(own, node);
    if (names.length === 0) (item?.children ?? top).push(own);
  }
  for (const name of item === undefined ? [] : names) {
    const [prefix = "", ...rest] = name.split("-");
    ((item as Item).properties[rest.join("-")] ??= []).push(own ?? valueOf(prefix, node));
  }
  if (own === undefined) for (const child of node.children) collect(child, item, top);
}

function imply({ type, properties }: Item, node: Node): void {
  if (type !== "h-card" || node.name !== "a") return;
  properties["url"] ??= [node.attributes["href"] ?? ""];
  const photo = all(node).find(({ name }) => name === "img");
  if (photo !== undefined) properties["photo"] ??= [photo.attributes["src"] ?? ""];
}

function valueOf(prefix: string, { attributes, ...node }: Node): string {
  const { href, src, value, datetime } = attributes;
  if (prefix === "u") return href ?? src ?? value ?? "";
  if (prefix === "dt") return datetime ?? "";
  return textOf({ attributes, ...node });
}

function textOf(node: Node | string): string {
  return typeof node === "string" ? node : node.children.map(textOf).join("");
}

function all(node: Node): Node[] {
  return [node, ...node.children.flatMap((child) => (typeof child === "string" ? [] : all(child)))];
}

const empty = new Set(["img", "input", "link", "meta", "br", "source", "hr", "!doctype"]);

/** Of pages that this site renders: well-formed, and all attributes quoted. */
function parse(html: string): Node {
  const root: Node = { name: "", attributes: {}, children: [] };
  const open = [root];
  const token = /<(\/?)([a-z!][\w-]*)((?:[^>"]|"[^"]*")*)>|([^<]+)/gi;
  for (const [, end, name = "", rest = "", text] of html.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.children.push(text);
    else if (end === "/") {
      while (open.length > 1 && open.pop()?.name !== name);
    } else {
      const pairs = [...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = "", value]) => [
        key,
        value,
      ]);
      const node: Node = { name, attributes: Object.fromEntries(pairs), children: [] };
      parent.children.push(node);
      if (!empty.has(name.toLowerCase())) open.push(node);
    }
  }
  return root;
}
