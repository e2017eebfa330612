import type { Languages } from "../languages/languages.ts";
import type { Translator } from "../languages/translator.ts";

interface ChoiceView {
  value: string;
  label: string;
  /** Language of the label, if it may differ from the page's. */
  lang: string | undefined;
  checked: boolean;
}

/** Languages to choose from, the browser's choice first. `chosen` may be a language that no longer exists. */
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
