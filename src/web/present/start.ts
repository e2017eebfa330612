import type { Ctx } from "../../context.ts";
import { isName } from "../../domain/users/store.ts";
import type { SignedInReader, Translator } from "../languages/translator.ts";
import { presentPeopleToFollow } from "./suggestions.ts";

const peopleShown = 10;

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
    step: words.t("start.step", { step: String(step + 1) }),
    nextUrl: addressOf(step + 1, by),
  };
}

/** People to follow, with their bios; first the user who invited the viewer. */
export async function presentStartPeople(ctx: Ctx, reader: SignedInReader, by: string | undefined) {
  const people = await presentPeopleToFollow(ctx, reader, peopleShown, by);
  return {
    people,
    emptyMessage: people.length === 0 ? reader.words.t("start.noPeople") : undefined,
  };
}
