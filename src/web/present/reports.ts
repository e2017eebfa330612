import type { Problems } from "../../domain/errors.ts";
import { type Reason, reasons } from "../../domain/moderation/store.ts";
import { showForm, textsOf } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import type { Words } from "../languages/words.ts";

export const reasonWords: Readonly<Record<Reason, string>> = {
  spam: "Spam",
  abuse: "Abuse or harassment",
  illegal: "Something illegal",
  other: "Something else",
};

/** The form for a report, and what it offers to choose from. */
export function presentReportForm(
  words: Words,
  action: string,
  values: unknown,
  problems: Problems,
) {
  const chosen = textsOf(values)["reason"];
  return {
    form: showForm(words, { ...reportForm, action }, values, problems),
    reasons: reasons.map((reason) => ({
      value: reason,
      label: reasonWords[reason],
      checked: reason === chosen,
    })),
  };
}
