import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Form } from "./form.ts";

export const tweetForm = {
  action: "/tweets",
  fields: ["text"],
  secrets: [],
  hidden: ["nonce"],
  schema: z.object({
    text: z.string(),
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
