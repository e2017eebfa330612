import { SaxesParser } from "saxes";

/** An element, as parsed by a strict parser with namespaces. */
export interface Element {
  /** With the prefix, as spelled. */
  name: string;
  space: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** Throws if the text is not well-formed or uses an undeclared namespace. */
export function parseXml(text: string): Element {
  const root: Element = { name: "", space: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  const add = (more: string) => void ((open.at(-1) ?? root).text += more);
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, uri, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value]);
    const element = { name, space: uri, children: [], text: "" };
    const read: Element = { ...element, attributes: Object.fromEntries(values) };
    open.at(-1)?.children.push(read);
    open.push(read);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", add);
  parser.on("cdata", add);
  parser.write(text).close();
  const [top] = root.children;
  if (top === undefined) throw new Error("no element");
  return top;
}

/** Children with this name. */
export function all(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

/** The only child with this name; throws if there is none, or more than one. */
export function one(element: Element, name: string): Element {
  const [found, ...more] = all(element, name);
  if (found === undefined || more.length > 0)
    throw new Error(`${element.name} has ${more.length + (found ? 1 : 0)} ${name}`);
  return found;
}
