import type { ListedUser } from "../../domain/users/store.ts";
import { showForm } from "../forms/form.ts";
import { freshAct, suspendForm } from "../forms/moderation.ts";
import type { Translator } from "../languages/translator.ts";
import { presentName } from "./people.ts";
import { presentTime } from "./time.ts";

/** A suspended user, with the form to reinstate them. */
export function presentSuspended(words: Translator, { user, stamp }: ListedUser, now: number) {
  const { action, hidden } = showForm(words, suspendForm, freshAct());
  const { isoTime, longTime } = presentTime(words, stamp, now);
  return {
    ...presentName(user),
    since: words.pieces("moderation.since", { time: { iso: isoTime, text: longTime } }),
    reinstate: { action, hidden: [...hidden, { name: "name", value: user.name }] },
  };
}
