import { parsers } from "prettier/plugins/yaml";

/** A YAML value; scalars are text, as they are written. */
export type Yaml = string | Yaml[] | { [key: string]: Yaml };

interface Node {
  type: string;
  value?: string;
  children?: (Node | null)[];
}

/** Throws where the text is not YAML, has an alias, or a key twice. One document. */
export function parseYaml(text: string): Yaml {
  const [document, ...more] = childrenOf(parsers.yaml.parse(text, {} as never) as Node);
  const body = childrenOf(document).find(({ type }) => type === "documentBody");
  if (more.length > 0) throw new Error("several documents");
  return valueOf(childrenOf(body)[0]);
}

/** The value at this path; throws where there is none. */
export function at(value: Yaml, ...path: (string | number)[]): Yaml {
  let found: Yaml | undefined = value;
  for (const step of path)
    found = typeof found === "object" ? (found as Record<string | number, Yaml>)[step] : undefined;
  if (found === undefined) throw new Error(`nothing at ${path.join(".")}`);
  return found;
}

const childrenOf = (node: Node | null | undefined): Node[] =>
  (node?.children ?? []).filter((child) => child !== null);

function valueOf(node: Node | undefined): Yaml {
  if (node === undefined || node.type === "null") return "";
  if (node.type === "mapping" || node.type === "flowMapping") return mappingOf(node);
  if (node.type === "sequence" || node.type === "flowSequence")
    return childrenOf(node).map((item) => valueOf(childrenOf(item)[0]));
  if (typeof node.value !== "string" || node.type === "alias")
    throw new Error(`${node.type} is not expected here`);
  return node.value;
}

function mappingOf(node: Node): Record<string, Yaml> {
  const pairs = childrenOf(node).map((item): [string, Yaml] => {
    const [key, value] = (item.children ?? []).map((part) => childrenOf(part)[0]);
    return [valueOf(key) as string, valueOf(value)];
  });
  const keys = new Set(pairs.map(([key]) => key));
  if (keys.size < pairs.length) throw new Error(`a key is there twice: ${[...keys].join(", ")}`);
  return Object.fromEntries(pairs);
}
