import type { Ctx } from "../../../context.ts";
import type { RelyingParty } from "../../../domain/factors/ceremonies.ts";
import type { Passkey } from "../../../domain/factors/passkeys.ts";
import type { Problems } from "../../../domain/problems.ts";
import { isName } from "../../../domain/users/store.ts";
import type { SignedInReader, Translator } from "../../languages/translator.ts";
import { type FormView, showForm } from "../../layout/form.ts";
import { presentPeopleToFollow } from "../../layout/side.ts";
import { presentMoment } from "../../layout/time.ts";
import { addPasskeyForm, passkeyLogInForm, removePasskeyForm } from "./form.ts";

/** A form that the site's script fills with a passkey's answer. */
interface PasskeyForm {
  action: string;
  hidden: { name: string; value: string }[];
  /** What the passkey is asked for. */
  act: "log-in" | "confirm" | "add";
  /** Name of the field for the answer. */
  field: string;
}

/** Undefined where there are no passkeys. */
export function presentPasskeyLogIn(
  site: RelyingParty | undefined,
  next: string,
): PasskeyForm | undefined {
  if (site === undefined) return undefined;
  const hidden = [{ name: "next", value: next }];
  return { action: passkeyLogInForm.action, hidden, act: "log-in", field: "passkey" };
}

/** The form that adds a passkey; undefined where there are none. */
export function presentNewPasskey(
  words: Translator,
  site: RelyingParty | undefined,
  values: unknown,
  problems: Problems,
): (FormView & PasskeyForm) | undefined {
  if (site === undefined) return undefined;
  const form = showForm(words, addPasskeyForm, values, problems);
  return { ...form, act: "add", field: "passkey" };
}

/** Passkeys with their dates and the forms that remove them. */
export function presentPasskeys(words: Translator, passkeys: Passkey[]) {
  return passkeys.map(({ id, name, synced, createdAt, usedAt }) => ({
    name,
    kind: words.t(synced ? "security.synced" : "security.oneDevice"),
    created: words.pieces("security.added", { time: presentMoment(words, createdAt) }),
    used:
      usedAt === undefined
        ? [words.t("security.neverUsed")]
        : words.pieces("security.used", { time: presentMoment(words, usedAt) }),
    remove: { action: removePasskeyForm.action, hidden: [{ name: "id", value: id }] },
  }));
}

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
