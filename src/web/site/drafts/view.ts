import { isScheduled, type NamedDraft } from "../../../domain/tweets/saved-drafts.ts";
import type { Translator } from "../../languages/translator.ts";
import { type Form, formOf, sentenceFor } from "../../layout/form.ts";
import { pictureUrl } from "../../layout/pictures.ts";
import { clip } from "../../layout/text.ts";
import { z } from "zod";
import type { DraftId } from "../../../domain/ids.ts";
import { localTime } from "../../../domain/users/time-zone.ts";
import { fieldsOf, pollFields, tweetForm } from "../tweets/form.ts";

/** Max characters of a draft in the list. */
const textShown = 280;

/** A draft in the list. */
export function presentDraft(words: Translator, draft: NamedDraft, zone: string) {
  const { id, text, warning, pictures, sending, savedAt } = draft;
  const url = `${draftsPath}/${id}`;
  const isTimed = isScheduled(draft);
  const time = presentMomentIn(words, isTimed ? draft.at : savedAt, zone);
  return {
    url,
    warning: warning ?? "",
    text: clip(text, textShown) || words.t("drafts.noText"),
    isSending: sending !== undefined,
    state:
      sending === undefined
        ? words.pieces(isTimed ? "drafts.sentAt" : "drafts.savedAt", { time })
        : undefined,
    problem: presentProblem(words, draft),
    audience: words.t(`audience.${draft.audience ?? "public"}`),
    answeredUrl: draft.replyTo && `/tweets/${draft.replyTo}`,
    pictures: pictures.map(({ small, description }) => ({
      src: pictureUrl(small.file),
      width: small.width,
      height: small.height,
      alt: description,
    })),
  };
}

/** Why a draft was not sent. */
export function presentProblem(words: Translator, { problem }: NamedDraft): string | undefined {
  return problem && words.t("drafts.notSent", { reason: sentenceFor(words, problem) });
}

/** A moment in a sentence, as clocks of a zone show it; milliseconds. */
function presentMomentIn({ language }: Translator, moment: number, timeZone: string) {
  const styles = { dateStyle: "long", timeStyle: "short" } as const;
  const date = new Date(moment);
  const text = new Intl.DateTimeFormat(language, { ...styles, timeZone }).format(date);
  return { iso: date.toISOString(), text };
}

export const draftsPath = "/drafts";

export const zoneForm = formOf(`${draftsPath}/time-zone`, { fields: { zone: z.string() } });

/** The composer of a draft that there is: saved, given a time, or sent. `seen`: see changeDraft. */
export function draftForm(id: DraftId) {
  return {
    action: `${draftsPath}/${id}`,
    fields: [...tweetForm.fields, "when"],
    hidden: ["reply_to", "seen"],
    schema: tweetForm.schema.extend({
      when: z.string().default(""),
      seen: z.coerce.number().optional().catch(undefined),
      do: z.enum(["save", "schedule", "send"]).default("save"),
    }),
  } satisfies Form<unknown>;
}

/** That form filled with the draft. */
export function startOf(draft: NamedDraft, zone: string): Record<string, string | undefined> {
  return {
    ...fieldsOf(draft),
    reply_to: draft.replyTo,
    audience: draft.audience,
    replies_from: draft.repliesFrom,
    ...pollFields(draft.poll),
    when: draft.at === undefined ? undefined : localTime(draft.at, zone),
  };
}
