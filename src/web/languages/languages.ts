import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Translator } from "./translator.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Whoever reads no other of our languages reads this one. */
const fallback = "en";

/** The languages of the site; another one is another file beside this one, named by its tag. */
export class Languages {
  readonly #words: ReadonlyMap<string, Translator>;
  /** The tags, the fallback's first. */
  readonly tags: string[];
  /** Each with what it is called by those who speak it. */
  readonly named: readonly { tag: string; name: string }[];

  constructor(messages: Readonly<Record<string, Readonly<Record<string, string>>>>) {
    this.#words = new Map(
      Object.entries(messages).map(([tag, own]) => [tag, new Translator(tag, own)] as const),
    );
    const others = Object.keys(messages).filter((tag) => tag !== fallback);
    this.tags = [fallback, ...others.toSorted()];
    this.named = this.tags.map((tag) => ({ tag, name: this.words(tag).t("language.name") }));
  }

  /** The fallback's for a language that the site does not speak. */
  words(tag: string | undefined): Translator {
    const words = this.#words.get(tag ?? fallback) ?? this.#words.get(fallback);
    if (words === undefined) throw new Error(`no messages in ${fallback}`);
    return words;
  }
}

/** Those of the files beside this one. */
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
