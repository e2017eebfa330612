import type { Problems } from "../../domain/errors.ts";
import { reasons } from "../../domain/moderation/store.ts";
import { showForm, textsOf } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import type { Translator } from "../languages/translator.ts";

/** The form for a report, and what it offers to choose from. */
export function presentReportForm(
  words: Translator,
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
