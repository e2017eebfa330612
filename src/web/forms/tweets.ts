import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseTweetId } from "../../domain/ids.ts";
import type { Problems } from "../../domain/errors.ts";
import { textLimit } from "../../domain/tweets/text.ts";
import type { Translator } from "../languages/translator.ts";
import { type Form, type FormView, showForm } from "./form.ts";

const tweetId = z.string().transform(parseTweetId);

/** `reply_to` may name what is no tweet: that is for the domain to say. */
export const tweetForm = {
  action: "/tweets",
  fields: ["text"],
  secrets: [],
  hidden: ["reply_to", "nonce"],
  schema: z.object({
    text: z.string(),
    reply_to: tweetId.optional(),
    nonce: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
  }),
} satisfies Form<unknown>;

/** For a composer that is shown afresh: submitted twice, it makes one tweet. */
export function freshNonce(): { nonce: string } {
  return { nonce: randomUUID() };
}

/** A form to write a tweet in, and what the script needs to say what the server would say. */
export interface ComposerView extends FormView {
  /** Under which the browser keeps what is being written: one for each person and each tweet. */
  draft: string;
  limit: number;
  empty: string;
  long: string;
}

export function showComposer(
  words: Translator,
  writer: string,
  values: Record<string, string | undefined>,
  problems?: Problems,
): ComposerView {
  return {
    ...showForm(words, tweetForm, values, problems),
    draft: `draft:${writer}:${values["reply_to"] ?? ""}`,
    limit: textLimit,
    empty: words.t("problem.text.empty"),
    long: words.t("problem.text.long"),
  };
}
