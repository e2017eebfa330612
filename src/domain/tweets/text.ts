import type { Problem } from "../errors.ts";
import { cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";

/** In graphemes: characters as a person counts them. */
export const textLimit = 280;

/** The text as it will be stored, with a problem if it must not be. */
export function checkText(raw: string): { text: string; problem: Problem | undefined } {
  const text = cleanText(raw);
  return { text, problem: textProblem(text) };
}

function textProblem(text: string): Problem | undefined {
  if (isBlank(text)) return "text.empty";
  return fitsGraphemes(text, textLimit) ? undefined : "text.long";
}
