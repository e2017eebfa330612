import type { Piece } from "../languages/translator.ts";
import type { NameView } from "./people.ts";

/** What stands in a sentence and is more than its words: somebody, a link, a word of another language. */
export type Thing =
  { person: NameView } | { text: string; href: string } | { text: string; lang: string };

/** Translator and things in the order of the reader's language. */
export type Sentence = Piece<Thing>[];
