import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Translator } from "./translator.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Fallback for readers of none of our languages. */
const fallback = "en";

/** Languages of the site. To add one, add a JSON file named by its tag to this folder. */
export class Languages {
  readonly #words: ReadonlyMap<string, Translator>;
  /** Tags, the fallback's first. */
  readonly tags: string[];
  /** Tags with the name of each language in that language. */
  readonly named: readonly { tag: string; name: string }[];

  constructor(messages: Readonly<Record<string, Readonly<Record<string, string>>>>) {
    this.#words = new Map(
      Object.entries(messages).map(([tag, own]) => [tag, new Translator(tag, own)] as const),
    );
    const others = Object.keys(messages).filter((tag) => tag !== fallback);
    this.tags = [fallback, ...others.toSorted()];
    this.named = this.tags.map((tag) => ({ tag, name: this.words(tag).t("language.name") }));
  }

  /** Translator for a language; the fallback's if the site does not have it. */
  words(tag: string | undefined): Translator {
    const words = this.#words.get(tag ?? fallback) ?? this.#words.get(fallback);
    if (words === undefined) throw new Error(`no messages in ${fallback}`);
    return words;
  }
}

/** Reads the JSON files of this folder. */
export function readLanguages(): Languages {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Languages(
    Object.fromEntries(
      files.map((name) => [
        name.replace(/\.json$/, ""),
        JSON.parse(fs.readFileSync(`${folder}/${name}`, "utf8")) as Record<string, string>,
      ]),
    ),
  );
}
