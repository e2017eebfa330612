import type { UUID } from "node:crypto";
import { IntlMessageFormat, type MessageFormatPart } from "intl-messageformat";
import type { Stamp } from "../../domain/ids.ts";
import type { KeptList } from "../../domain/feeds/kept-list.ts";
import type { User } from "../../domain/users/store.ts";
import type english from "./en.json";
import fs from "node:fs";
import { parse } from "node:path";
import { memo } from "../../domain/memo.ts";

/** Key of a message; all are in src/web/languages/en.json. */
export type Key = keyof typeof english;

export class Translator {
  /** As in HTML: "en", "ja". */
  readonly language: string;
  /** ICU messages by key. */
  readonly messages: Readonly<Record<string, string>>;
  readonly #compiled = new Map<Key, IntlMessageFormat>();
  readonly #grouped: Intl.NumberFormat;
  readonly #compact: Intl.NumberFormat;

  constructor(language: string, messages: Readonly<Record<string, string>>) {
    this.language = language;
    this.messages = messages;
    this.#grouped = new Intl.NumberFormat(language);
    const compact = { notation: "compact", maximumFractionDigits: 1 } as const;
    this.#compact = new Intl.NumberFormat(language, compact);
  }

  /** A message with `values` inserted. Throws if a placeholder has no value. */
  t(key: Key, values?: Readonly<Record<string, string | number>>): string {
    const message = this.#messageOf(key);
    // Fast path: most messages have no placeholders and no ICU syntax.
    if (values === undefined && !/[{'<]/.test(message)) return message;
    return String(this.#format(key).format(values));
  }

  /** Like `t`, for values that are more than text, such as links; these are returned as they are. */
  pieces<Thing extends object>(
    key: Key,
    values: Readonly<Record<string, string | number | Thing>>,
  ): (string | Thing)[] {
    const parts: MessageFormatPart<Thing>[] = this.#format(key).formatToParts<Thing>(values);
    return parts.map(({ value }) => value);
  }

  /** "9,999", "1.2M"; in Japanese "9,999", "120万". */
  number(value: number): string {
    return (value < 10_000 ? this.#grouped : this.#compact).format(value);
  }

  /** Values for a plural: `count` chooses the form, `shown` is the formatted number. */
  counted(count: number): { count: number; shown: string } {
    return { count, shown: this.number(count) };
  }

  /** "12 kB", "12.3 MB", "1.2 GB". */
  size(bytes: number): string {
    const unit = bytes >= 1e9 ? "gigabyte" : bytes >= 1e6 ? "megabyte" : "kilobyte";
    const maximumFractionDigits = unit === "kilobyte" ? 0 : 1;
    const format = new Intl.NumberFormat(this.language, { maximumFractionDigits });
    const size = format.format(bytes / { kilobyte: 1e3, megabyte: 1e6, gigabyte: 1e9 }[unit]);
    return this.t(`numbers.${unit}s`, { size });
  }

  #format(key: Key): IntlMessageFormat {
    const message = this.#compiled.get(key);
    if (message !== undefined) return message;
    const format = new IntlMessageFormat(this.#messageOf(key), this.language, undefined, {
      ignoreTag: true,
    });
    this.#compiled.set(key, format);
    return format;
  }

  #messageOf(key: Key): string {
    const message = this.messages[key];
    if (message === undefined) throw new Error(`no message ${key} in ${this.language}`);
    return message;
  }
}

/** Reader of a page: the account, if signed in, and the language. */
export interface Reader {
  viewer: User | undefined;
  words: Translator;
  /** Cursor of the list on the page; undefined: its start. */
  before?: Stamp | undefined;
  /** Parts of the list on the page, and values beside it, if the page may be made again. */
  kept?: KeptList | undefined;
  /** Such a page prints it in the place of a value that changes with the list. Another value has another name. */
  late?: ((value: number | UUID, name: string) => string) | undefined;
}

export interface SignedInReader extends Reader {
  viewer: User;
}

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

let languages: Languages | undefined;

/** Those of the JSON files of this folder, which are read once. */
export function readLanguages(): Languages {
  return (languages ??= new Languages(readFiles()));
}

function readFiles() {
  const folder = new URL(".", import.meta.url);
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".json"));
  const read = (file: string) =>
    JSON.parse(fs.readFileSync(new URL(file, folder), "utf8")) as Record<string, string>;
  return Object.fromEntries(files.map((file) => [parse(file).name, read(file)]));
}

/** Messages that the site's script shares with pages. Those of its own start with "script." or "hotkey.". */
const shared = new Set<string>([
  "person.follow",
  "person.unfollow",
  "nav.notificationsNew",
  "nav.messagesNew",
  "nav.reportsOpen",
  "time.now",
  "time.minutes",
  "time.hours",
] satisfies Key[]);

/** Numbers that cover every plural category of each language: one, few, many … */
const samples = [...Array.from({ length: 120 }, (_, number) => number), 1000, 1_000_000];

/** Messages of the script as JSON: for each key its text or, if that has a number, its texts by plural category. */
export const scriptWords = memo((words: Translator): string => {
  const categories = categoriesOf(words.language);
  const keys = Object.keys(words.messages) as Key[];
  const messages = keys
    .filter((key) => /^(script|hotkey)\./.test(key) || shared.has(key))
    .map((key) => {
      // Its placeholder is a number, with which the script replaces "#".
      const isCounted = words.messages[key]?.includes("{") === true;
      return [key, isCounted ? formsOf(words, key, categories) : words.t(key)];
    });
  return JSON.stringify(Object.fromEntries(messages));
});

function formsOf(words: Translator, key: Key, categories: Map<string, number>) {
  const forms = [...categories].map(([category, sample]) => {
    const text = words.t(key, { count: sample, shown: "#" });
    return [category, text.replace(String(sample), "#")] as const;
  });
  const isSame = new Set(forms.map(([, text]) => text)).size === 1;
  return isSame ? forms[0]?.[1] : Object.fromEntries(forms);
}

/** Each plural category of the language, with the smallest number of it. */
function categoriesOf(language: string): Map<string, number> {
  const rules = new Intl.PluralRules(language);
  return new Map(samples.toReversed().map((sample) => [rules.select(sample), sample]));
}
