import pug from "pug";

/** A node of Pug's syntax tree. */
interface Node {
  type: string;
  name?: string;
  val?: string;
  line?: number;
  /** Arguments of a mixin call. */
  args?: string;
  call?: boolean;
  buffer?: boolean;
  attrs?: { name: string; val: string | boolean; line: number }[];
  block?: Node | null;
  nodes?: Node[];
  consequent?: Node;
  alternate?: Node | null;
}

/** Attributes that users see or hear; all others are for machines. */
const spoken = new Set(
  "alt aria-label aria-description content label placeholder title".split(" "),
);
/** Meta elements for machines. */
const codes = /charset|name="(viewport|color-scheme|theme-color|turbo-[\w-]+|twitter:card)"/;
const names = /Suzume|雀/g;
/** Arguments of mixins that are not words: names of fields and icons, types of files, the start of a URL. */
const code = /^([a-z_-]+|([a-z]+\/[a-z]+,?)+|https:\/\/)$/;

/** Words of a template that are in no message, each with its line. */
export function wordsIn(source: string, filename: string): string[] {
  const found: string[] = [];
  const plugin = {
    postParse(ast: Node) {
      found.push(...wordsOf(ast));
      // Nothing is left to compile: included templates are checked separately.
      return { ...ast, nodes: [] };
    },
  };
  // Pug calls it after parsing; its types omit that.
  const options = { filename, plugins: [plugin] };
  pug.compileClient(source, options);
  return found;
}

function wordsOf(node: Node): string[] {
  const inside = [node.block, node.consequent, node.alternate, ...(node.nodes ?? [])];
  return [...ownWords(node), ...inside.flatMap((one) => (one ? wordsOf(one) : []))];
}

function ownWords(node: Node): string[] {
  const at = (words: string[], line = node.line) => words.map((word) => `${line}: ${word}`);
  switch (node.type) {
    case "Text":
      return at([node.val ?? ""].filter(hasLetters));
    case "Code":
      return at(node.buffer === true ? literalsIn(node.val ?? "") : []);
    case "Mixin":
      return at(literalsIn(node.args ?? "").filter((one) => !code.test(one)));
    case "Tag":
      return (node.attrs ?? [])
        .filter((attribute) => isSpoken(node, attribute.name))
        .flatMap(({ val, line }) => at(literalsIn(String(val)), line));
    default:
      return [];
  }
}

function isSpoken({ name = "", attrs = [] }: Node, attribute: string): boolean {
  const shown = attrs.map((one) => `${one.name}=${one.val}`).join(" ");
  // A button's value is its label only where it is an input.
  if (attribute === "value") return name === "input" && /type="(submit|button|reset)"/.test(shown);
  return spoken.has(attribute) && !(name === "meta" && codes.test(shown));
}

/** Texts in an expression, except names of messages or members and compared values. */
function literalsIn(expression: string): string[] {
  const said = expression
    .replaceAll(/\bt\(\s*(["'`])[^"'`]*\1/g, "t(")
    .replaceAll(/\[\s*(["'`])[^"'`]*\1\s*\]/g, "")
    .replaceAll(/[=!]==?\s*(["'`])[^"'`]*\1/g, "");
  const literals = said.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/g);
  return [...literals]
    .map(([, double, single, template]) => double ?? single ?? template ?? "")
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, ""))
    .filter(hasLetters);
}

function hasLetters(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(names, ""));
}
