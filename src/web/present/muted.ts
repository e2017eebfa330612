import { stampToDate } from "../../domain/stamp.ts";
import type { MutedWord } from "../../domain/graph/muted-words.ts";
import { type FormView, showForm } from "../forms/form.ts";
import { mutedFor, unmuteWordForm } from "../forms/muted.ts";
import type { Translator } from "../languages/translator.ts";
import type { PersonView } from "./people.ts";
import { presentDay } from "./time.ts";

export interface MutedWordView {
  word: string;
  /** Undefined if it does not end. */
  until: { iso: string; text: string } | undefined;
  remove: FormView;
}

export function presentMutedWords(words: Translator, muted: MutedWord[]): MutedWordView[] {
  return muted.map(({ word, until }) => ({
    word,
    until:
      until === Infinity
        ? undefined
        : {
            iso: stampToDate(until).toISOString(),
            text: words.t("muted.until", { day: presentDay(words, until) }),
          },
    remove: showForm(words, unmuteWordForm, { word }),
  }));
}

/** Options of the form; `chosen` is the submitted one, if any. */
export function presentDurations(words: Translator, chosen: string | undefined) {
  const known = mutedFor.some(({ value }) => value === chosen);
  return mutedFor.map(({ value }) => ({
    value,
    label: words.t(`muted.for.${value}`),
    selected: value === (known ? chosen : "ever"),
  }));
}

/** For the list of muted users: the button unmutes. */
export function withUnmute(words: Translator, person: PersonView): PersonView {
  const follow = { action: `${person.url}/unmute`, label: words.t("muted.unmute"), pressed: true };
  return { ...person, follow };
}

/**
 * For the list of blocked users: the button unblocks, even if the user is suspended or has blocked the
 * viewer.
 */
export function withUnblock(words: Translator, person: PersonView): PersonView {
  const follow = {
    action: `${person.url}/unblock`,
    label: words.t("person.unblock"),
    pressed: true,
  };
  return { ...person, follow };
}
