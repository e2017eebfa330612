import type { Problem, TooMany, Wait } from "../../domain/errors.ts";
import type { Translator } from "../languages/translator.ts";

export function waitOf({ retryAfter }: TooMany): Wait {
  return `wait.${retryAfter}`;
}

/** Sentence for a problem, shown beside its field. */
export function sentenceFor(words: Translator, problem: Problem): string {
  return isWait(problem) ? wait(words, problem) : words.t(`problem.${problem}`);
}

function isWait(problem: Problem): problem is Wait {
  return problem.startsWith("wait.");
}

/** Uses the largest unit that gives at least two, rounded up. */
function wait(words: Translator, problem: Wait): string {
  const seconds = Number(problem.slice("wait.".length));
  if (seconds < 120) return words.t("wait.seconds", { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return words.t("wait.minutes", { count: minutes });
  return words.t("wait.hours", { count: Math.ceil(minutes / 60) });
}
