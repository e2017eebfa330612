import { z } from "zod";
import type { DraftId } from "../../../domain/ids.ts";
import type { NamedDraft } from "../../../domain/tweets/saved-drafts.ts";
import { localTime } from "../../../domain/users/time-zone.ts";
import type { Form } from "../../layout/form.ts";
import { descriptionField, pollFields, tweetForm } from "../tweets/form.ts";

export const draftsPath = "/drafts";

export const zoneForm = {
  action: `${draftsPath}/time-zone`,
  fields: ["zone"],
  schema: z.object({ zone: z.string() }),
} satisfies Form<unknown>;

/** The composer of a draft that there is: saved, given a time, or sent. */
export function draftForm(id: DraftId) {
  return {
    action: `${draftsPath}/${id}`,
    fields: [...tweetForm.fields, "when"],
    hidden: ["reply_to"],
    schema: tweetForm.schema.extend({
      when: z.string().default(""),
      do: z.enum(["save", "schedule", "send"]).default("save"),
    }),
  } satisfies Form<unknown>;
}

/** That form filled with the draft. */
export function startOf(draft: NamedDraft, zone: string): Record<string, string | undefined> {
  const descriptions = draft.pictures.map(({ description }, nth) => [
    descriptionField(nth + 1),
    description,
  ]);
  return {
    ...(Object.fromEntries(descriptions) as Record<string, string>),
    text: draft.text,
    warning: draft.warning,
    uploads: draft.pictures.map(({ id }) => id).join(" "),
    sensitive: draft.sensitive === true ? "on" : undefined,
    reply_to: draft.replyTo,
    audience: draft.audience,
    replies_from: draft.repliesFrom,
    ...pollFields(draft.poll),
    when: draft.at === undefined ? undefined : localTime(draft.at, zone),
  };
}
