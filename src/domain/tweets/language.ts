import { Invalid } from "../errors.ts";

/** A language of two or three letters, and at most one part of it: "en", "pt-BR", "zh-Hant". */
const spelling = /^([a-z]{2,3})(?:[-_]([a-z0-9]{2,8}))?$/i;
/** Tag of a text whose language is not known. */
const unknown = "und";

/**
 * The language of a tweet as it will be stored, a tag of BCP 47. Without a tag it stays as it was `before`; "und"
 * takes it away. Throws Invalid beside `language`.
 */
export function acceptLanguage(typed: string | undefined, before?: string): string | undefined {
  const raw = typed?.trim() ?? "";
  if (raw === "") return before;
  const tag = parseLanguage(raw);
  if (tag === undefined) throw new Invalid({ language: "language.format" });
  return tag === unknown ? undefined : tag;
}

/** In the usual spelling, the shortest there is: "jpn" is "ja". Undefined if it is no tag. */
export function parseLanguage(raw: string): string | undefined {
  const [, language = "", part = ""] = spelling.exec(raw) ?? [];
  // Three letters name a language within another one, and are a tag of their own: "zh-yue" is "yue".
  const tag = part === "" ? language : /^[a-z]{3}$/i.test(part) ? part : `${language}-${part}`;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
