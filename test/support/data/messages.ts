import { readdirSync, readFileSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";

export type Messages = Readonly<Record<string, string>>;

/** Parsed message of intl-messageformat, whose types are numbers. */
interface Element {
  type: number;
  value?: string;
  options?: Record<string, { value: Element[] }>;
  pluralType?: "cardinal" | "ordinal";
}

const kinds = { literal: 0, select: 5, plural: 6, pound: 7 } as const;
const folder = new URL("../../../src/web/languages/", import.meta.url);

/** Messages by language. */
export function readMessages(): Map<string, Messages> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(
    files.map((name) => [
      name.replace(/\.json$/, ""),
      JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Messages,
    ]),
  );
}

/** Throws if it is not a valid ICU message. */
export function parseMessage(message: string, language: string): Element[] {
  const format = new IntlMessageFormat(message, language, undefined, { ignoreTag: true });
  return format.getAst();
}

/**
 * Names of the arguments of a message. An argument that only selects a plural does not count, as some
 * languages have no plural.
 */
export function placesOf(elements: Element[], counted = ""): string[] {
  const found = elements.flatMap(({ type, value = "", options = {} }): string[] => {
    if (type === kinds.literal) return [];
    if (type === kinds.pound) return [counted];
    const inside = Object.values(options).flatMap((one) =>
      placesOf(one.value, type === kinds.plural ? value : counted),
    );
    return type === kinds.plural ? inside : [value, ...inside];
  });
  return [...new Set(found)].toSorted();
}

/** Plural forms that a message lacks: "other", and each category of its language. */
export function missingPlurals(elements: Element[], language: string): string[] {
  return elements.flatMap(({ type, options = {}, pluralType }): string[] => {
    const inside = Object.values(options).flatMap((one) => missingPlurals(one.value, language));
    if (type !== kinds.plural) return inside;
    const rules = new Intl.PluralRules(language, { type: pluralType ?? "cardinal" });
    const wanted = new Set(["other", ...rules.resolvedOptions().pluralCategories]);
    return [...[...wanted].filter((category) => !Object.hasOwn(options, category)), ...inside];
  });
}

/** Options of the select arguments of a message, "name=option". */
export function choicesOf(elements: Element[]): string[] {
  return elements.flatMap(({ type, value = "", options = {} }): string[] => {
    const inside = Object.values(options).flatMap((one) => choicesOf(one.value));
    const own = type === kinds.select ? Object.keys(options).map((one) => `${value}=${one}`) : [];
    return [...own, ...inside].toSorted();
  });
}

/** Whether a message has words to translate: letters outside of arguments and the site's name. */
export function hasWords(elements: Element[]): boolean {
  return elements.some(({ type, value = "", options = {} }) =>
    type === kinds.literal
      ? /\p{L}/u.test(value.replaceAll("Suzume", ""))
      : Object.values(options).some((one) => hasWords(one.value)),
  );
}
