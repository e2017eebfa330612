import { IntlMessageFormat, type MessageFormatPart } from "intl-messageformat";
import { presentNumber } from "./numbers.ts";
import type english from "./en.json";

/** Names a message; src/web/languages/en.json has them all. */
export type Key = keyof typeof english;

/** What a message has places for. */
export type Values = Readonly<Record<string, string | number>>;

/** A message in pieces: its words, and what was put into its places. */
export type Piece<Thing> = string | Thing;

/** All that the site says in one language. */
export class Translator {
  /** As in HTML: "en", "ja". */
  readonly language: string;
  readonly #messages: Readonly<Record<string, string>>;
  readonly #compiled = new Map<Key, IntlMessageFormat>();

  constructor(language: string, messages: Readonly<Record<string, string>>) {
    this.language = language;
    this.#messages = messages;
  }

  /** A message with `values` in its places. Throws if it has a place for which there is no value. */
  t(key: Key, values?: Values): string {
    const message = this.#spelled(key);
    // Most have no places, and nothing that ICU reads in a way of its own.
    if (values === undefined && !/[{'<]/.test(message)) return message;
    return String(this.#format(key).format(values));
  }

  /** The same with what is more than a text in some places, such as a link; those come back as they are. */
  pieces<Thing extends object>(
    key: Key,
    values: Readonly<Record<string, string | number | Thing>>,
  ): Piece<Thing>[] {
    const parts: MessageFormatPart<Thing>[] = this.#format(key).formatToParts<Thing>(values);
    return parts.map(({ value }) => value);
  }

  /** "9,999", "1.2M". */
  number(value: number): string {
    return presentNumber(value, this.language);
  }

  /** How many there are: `count` to choose between one and many, `shown` as it is written. */
  counted(count: number): { count: number; shown: string } {
    return { count, shown: this.number(count) };
  }

  #format(key: Key): IntlMessageFormat {
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const format = new IntlMessageFormat(this.#spelled(key), this.language, undefined, {
      ignoreTag: true,
    });
    this.#compiled.set(key, format);
    return format;
  }

  #spelled(key: Key): string {
    const message = this.#messages[key];
    if (message === undefined) throw new Error(`no message ${key} in ${this.language}`);
    return message;
  }
}
