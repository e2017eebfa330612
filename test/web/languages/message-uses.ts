import { readdirSync, readFileSync } from "node:fs";
import { withoutComments } from "../../support/inspect/source-text.ts";

const root = new URL("../../../", import.meta.url);

/** The text of all files of a folder with this ending, without comments. */
export function readSources(folder: string, ending: ".ts" | ".js" | ".pug"): string {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(new URL(`${folder}/${name}`, root), "utf8"))
    .map((text) => (ending === ".pug" ? withoutPugComments(text) : withoutComments(text)))
    .join("\n");
}

function withoutPugComments(text: string): string {
  return text.replaceAll(/^\s*\/\/.*$/gm, "");
}

/** Quoted texts that look like the key of a message: "area.thing". */
export function keysIn(source: string): string[] {
  const quoted = source.matchAll(/["'`]([a-z]\w*(?:\.\w+)+)["'`]/g);
  return [...quoted].map(([, key = ""]) => key);
}

/** Keys with holes such as `problem.${problem}`, as patterns whose groups are the holes. */
export function patternsIn(source: string): RegExp[] {
  const templates = source.matchAll(/`([a-z]\w*\.[\w.]*\$\{[^`]*?\}[\w.]*)`/g);
  return [...templates].map(([, text = ""]) => {
    const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(".", "\\."));
    return new RegExp(`^${parts.join("([\\w.:]+)")}$`);
  });
}

/** Whether `source` has this key, or a pattern and a word that make it. */
export function usesOf(source: string): (key: string) => boolean {
  const said = new Set(keysIn(source));
  const patterns = patternsIn(source);
  const words = source.matchAll(/["'`]([\w.:]+)["'`]|\b(\w+)\??:|\b(\d{3})\b/g);
  const tokens = new Set([...words].flatMap((groups) => [...groups]));
  return (key) =>
    said.has(key) ||
    patterns.some((pattern) => {
      const holes = pattern.exec(key)?.slice(1);
      return holes?.every((hole) => tokens.has(hole)) ?? false;
    });
}
