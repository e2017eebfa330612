import { isName } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";

/** The steps after a sign-up, in their order. Each works at any time. */
const steps = [
  { path: "/start", title: "start.aboutYou" },
  { path: "/start/people", title: "start.people" },
  { path: "/start/tweet", title: "start.tweet" },
] as const;

/** Address of a step, counted from 0, or of home after the last. Keeps `by`, who invited, if it is a name. */
export function stepUrl(step: number, by = ""): string {
  const path = steps[step]?.path ?? "/";
  return path === "/" || !isName(by) ? path : `${path}?by=${by}`;
}

/** What all steps show. */
export function stepFrame(words: Translator, step: 0 | 1 | 2, by: string | undefined) {
  return {
    title: words.t(steps[step].title),
    canonical: undefined,
    step: String(step + 1),
    nextUrl: stepUrl(step + 1, by),
  };
}
