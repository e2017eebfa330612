import { Languages } from "../../../src/web/languages/translator.ts";
import { readMessages } from "./messages.ts";

/** A language that puts every message in brackets: text outside of them is in no message. */
export const pseudo = "en-XA";

/** English and the pseudo-language. */
export function pseudoLanguages(): Languages {
  const english = readMessages().get("en") ?? {};
  const bracketed = Object.entries(english).map(([key, message]) => [key, `⟦${message}⟧`]);
  return new Languages({ en: english, [pseudo]: Object.fromEntries(bracketed) });
}
