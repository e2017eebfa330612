import { IntlMessageFormat, type MessageFormatPart } from "intl-messageformat";
import { presentNumber } from "./numbers.ts";
import type english from "./en.json";

/** Key of a message; all are in src/web/languages/en.json. */
export type Key = keyof typeof english;

/** Values for the placeholders of a message. */
export type Values = Readonly<Record<string, string | number>>;

/** A message in pieces: text, and what was inserted for its placeholders. */
export type Piece<Thing> = string | Thing;

/** Messages of the site in one language. */
export class Translator {
  /** As in HTML: "en", "ja". */
  readonly language: string;
  readonly #messages: Readonly<Record<string, string>>;
  readonly #compiled = new Map<Key, IntlMessageFormat>();

  constructor(language: string, messages: Readonly<Record<string, string>>) {
    this.language = language;
    this.#messages = messages;
  }

  /** A message with `values` inserted. Throws if a placeholder has no value. */
  t(key: Key, values?: Values): string {
    const message = this.#spelled(key);
    // Fast path: most messages have no placeholders and no ICU syntax.
    if (values === undefined && !/[{'<]/.test(message)) return message;
    return String(this.#format(key).format(values));
  }

  /** Like `t`, for values that are more than text, such as links; these are returned as they are. */
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

  /** Values for a plural: `count` chooses the form, `shown` is the formatted number. */
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
