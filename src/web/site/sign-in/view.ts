import { isName } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";

/** The steps after a sign-up, in their order. Each works at any time. */
const steps = [
  { path: "/start", title: "start.aboutYou" },
  { path: "/start/people", title: "start.people" },
  { path: "/start/tweet", title: "start.tweet" },
] as const;

/** Address of the first step. `by`: name of the user who invited the new one, which the addresses keep. */
export function firstStep(by?: string): string {
  return addressOf(0, by);
}

/** Address of a step, or of home after the last one. Anything but a name in `by` is left out. */
export function addressOf(step: number, by = ""): string {
  const path = steps[step]?.path ?? "/";
  return path === "/" || !isName(by) ? path : `${path}?by=${by}`;
}

/** What all steps show, counted from 0. */
export function stepFrame(words: Translator, step: 0 | 1 | 2, by: string | undefined) {
  return {
    title: words.t(steps[step].title),
    canonical: undefined,
    step: String(step + 1),
    nextUrl: addressOf(step + 1, by),
  };
}
