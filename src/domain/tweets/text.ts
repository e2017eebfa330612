import type { Problem } from "../errors.ts";
import { cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";

/** Graphemes, that is, what a person counts as characters. */
export const textLimit = 280;

/** As it will be stored; `problem` says why it may not be. */
export function checkText(raw: string): { text: string; problem: Problem | undefined } {
  const text = cleanText(raw);
  return { text, problem: textProblem(text) };
}

function textProblem(text: string): Problem | undefined {
  if (isBlank(text)) return "text.empty";
  return fitsGraphemes(text, textLimit) ? undefined : "text.long";
}
