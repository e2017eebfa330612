import type { Piece } from "../languages/translator.ts";
import type { NameView } from "./people.ts";

/** Part of a sentence that is more than text: a person, a link, a word of another language. */
export type SentencePart =
  { person: NameView } | { text: string; href: string } | { text: string; lang: string };

/** Texts and things in the order of the reader's language. */
export type Sentence = Piece<SentencePart>[];
