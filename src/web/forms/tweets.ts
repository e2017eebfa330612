import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseTweetId } from "../../domain/ids.ts";
import type { Form } from "./form.ts";

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
