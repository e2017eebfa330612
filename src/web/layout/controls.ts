import type { Key, Translator } from "../languages/translator.ts";

/** A form with only a button. */
export interface ButtonView {
  action: string;
  label: string;
  /** True if pressing it takes something back. */
  pressed: boolean;
}

/** A button that can be pressed, or one that takes back what it did. */
export function presentButton(
  words: Translator,
  action: string,
  label: Key,
  pressed: boolean,
): ButtonView {
  return { action, label: words.t(label), pressed };
}

/** Links between lists; `current` is the address of the one on the page. */
export function presentTabs(
  words: Translator,
  tabs: readonly (readonly [href: string, label: Key])[],
  current: string,
) {
  return tabs.map(([href, label]) => ({ href, label: words.t(label), current: href === current }));
}

/** A number with its name, as a link to what it counts. */
export interface CountView {
  value: number;
  text: string;
  label: string;
  href: string;
}

export function presentCount(words: Translator, value: number, href: string, key: Key): CountView {
  const counted = words.counted(value);
  return { value, text: counted.shown, label: words.t(key, counted), href };
}

/** A sentence in pieces: text, and people, links or times; see views/mixins/pieces.pug. */
export type Sentence = (string | object)[];
