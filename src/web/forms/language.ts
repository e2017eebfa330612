import { z } from "zod";
import type { Form } from "./form.ts";
import { ownPath } from "./safe-redirect.ts";

/** What the site is to speak from now on; an empty `language` is what the browser asks for. */
export const languageForm = {
  action: "/language",
  fields: ["language"],
  secrets: [],
  hidden: ["next"],
  schema: z.object({
    language: z.string(),
    next: z.string().optional().catch(undefined).transform(ownPath),
  }),
} satisfies Form<unknown>;
