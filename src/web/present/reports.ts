import type { Problems } from "../../domain/errors.ts";
import { reasons } from "../../domain/moderation/store.ts";
import { showForm, textsOf } from "../forms/form.ts";
import { reportForm } from "../forms/moderation.ts";
import type { Translator } from "../languages/translator.ts";

/** Form for a report, with its options. */
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
