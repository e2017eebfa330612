import { z } from "zod";
import type { Form } from "./form.ts";
import { safePath } from "./safe-redirect.ts";

/** Language of the site from now on; an empty `language` follows the browser. */
export const languageForm = {
  action: "/language",
  fields: ["language"],
  secrets: [],
  hidden: ["next"],
  schema: z.object({
    language: z.string(),
    next: z.string().optional().catch(undefined).transform(safePath),
  }),
} satisfies Form<unknown>;
