import type { RelyingParty } from "../../domain/factors/ceremonies.ts";
import type { Passkey } from "../../domain/factors/passkeys.ts";
import { addPasskeyForm, passkeyLogInForm, removePasskeyForm } from "../forms/passkeys.ts";
import { type FormView, showForm } from "../forms/form.ts";
import type { Problems } from "../../domain/problems.ts";
import type { Translator } from "../languages/translator.ts";
import { presentMoment } from "./time.ts";

/** A form that the site's script fills with a passkey's answer. */
export interface PasskeyForm {
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
