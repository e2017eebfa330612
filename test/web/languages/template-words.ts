import pug from "pug";

/** What Pug's parser makes of a template. */
interface Node {
  type: string;
  name?: string;
  val?: string;
  line?: number;
  /** Of a mixin that is called: what it is given. */
  args?: string;
  call?: boolean;
  buffer?: boolean;
  attrs?: { name: string; val: string | boolean; line: number }[];
  block?: Node | null;
  nodes?: Node[];
  consequent?: Node;
  alternate?: Node | null;
}

/** What these say is heard or seen; whatever else an element carries is for machines. */
const spoken = new Set(
  "alt aria-label aria-description content label placeholder title".split(" "),
);
/** What a meta element tells machines. */
const codes = /charset|name="(viewport|color-scheme|theme-color|turbo-[\w-]+|twitter:card)"/;
const names = /Suzume|雀/g;
/** What mixins are given that is no word: names of fields, icons and the like, types of files, the start of an address. */
const code = /^([a-z_-]+|([a-z]+\/[a-z]+,?)+|https:\/\/)$/;

/** The words that a template says by itself, each with its line. */
export function wordsIn(source: string, filename: string): string[] {
  const found: string[] = [];
  const plugin = {
    postParse(ast: Node) {
      found.push(...wordsOf(ast));
      // Nothing is left to compile: what it includes has its own turn.
      return { ...ast, nodes: [] };
    },
  };
  // Pug calls it once a file is parsed; its types leave that out.
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

/** The texts in an expression, but for those that name a message, a member, or what is compared. */
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
