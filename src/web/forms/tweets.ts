import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import type { Problems } from "../../domain/errors.ts";
import { parseEntities, textLimit } from "../../domain/tweets/text.ts";
import type { Translator } from "../languages/translator.ts";
import { type Form, type FormView, showForm } from "./form.ts";

const tweetId = z.string().transform(parseTweetId);

/** `reply_to` may be any text: the domain checks it. */
export const tweetForm = {
  action: "/tweets",
  fields: ["text"],
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

/** For a new composer: its nonce makes a repeated submission create one tweet only. */
export function freshNonce(): { nonce: string } {
  return { nonce: randomUUID() };
}

/** A composer, with what the script needs to show the same problems as the server. */
export interface ComposerView extends FormView {
  /** Key under which the browser keeps the draft: one for each user and tweet. */
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

/** First tweet of this site that a text links to. `tweets` is the prefix of tweet addresses. */
export function quotedIn(text: string, tweets: string): TweetId | undefined {
  for (const entity of parseEntities(text)) {
    if (entity.kind !== "link" || !entity.url.startsWith(tweets)) continue;
    const id = parseTweetId(entity.url.slice(tweets.length).replace(/[?#].*$/, ""));
    if (id !== undefined) return id;
  }
  return undefined;
}
