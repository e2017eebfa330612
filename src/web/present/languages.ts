import type { Languages } from "../languages/languages.ts";
import type { Translator } from "../languages/translator.ts";

interface ChoiceView {
  value: string;
  label: string;
  /** Of the label, if it is another one than the page's may be. */
  lang: string | undefined;
  checked: boolean;
}

/** What the site can speak, first of all what a browser asks for; `chosen` may be gone by now. */
export function presentLanguages(
  words: Translator,
  languages: Languages,
  chosen: string,
): ChoiceView[] {
  const browser = {
    value: "",
    label: words.t("settings.languageOfBrowser"),
    lang: undefined,
    checked: !languages.tags.includes(chosen),
  };
  const named = languages.named.map(({ tag, name }) => ({
    value: tag,
    label: name,
    lang: tag,
    checked: tag === chosen,
  }));
  return [browser, ...named];
}
