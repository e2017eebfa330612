import type { Problem } from "../errors.ts";
import { cleanText, fitsGraphemes } from "../users/display-text.ts";

/** Graphemes, that is, what a person counts as characters. */
export const textLimit = 280;

/** What takes room and shows nothing: white space, fillers, and joiners and marks with nothing to join. */
const blank = /^(?:\s|\p{Default_Ignorable_Code_Point}|\u2800)*$/u;

/** As it will be stored; `problem` says why it may not be. */
export function checkText(raw: string): { text: string; problem: Problem | undefined } {
  const text = cleanText(raw);
  return { text, problem: textProblem(text) };
}

function textProblem(text: string): Problem | undefined {
  if (blank.test(text)) return "text.empty";
  return fitsGraphemes(text, textLimit) ? undefined : "text.long";
}
