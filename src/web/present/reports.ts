import type { Problems } from "../../domain/errors.ts";
import { reasons } from "../../domain/moderation/store.ts";
import { showForm, textsOf } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import type { Words } from "../languages/words.ts";

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
      label: words.t(`reports.reason.${reason}`),
      checked: reason === chosen,
    })),
  };
}
