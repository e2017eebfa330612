import { z } from "zod";
import { readModes, signUpModes } from "../../domain/site/settings.ts";
import { cleanText } from "../../domain/users/display-text.ts";
import type { Form } from "./form.ts";

/** A checkbox: sent only if it is checked. */
const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

const text = (limit: number) =>
  z
    .string()
    .default("")
    .transform((raw) => cleanText(raw).slice(0, limit));

/** What admins decide about the site. */
export const siteForm = {
  action: "/admin/site",
  fields: ["signUp", "read", "membersInvite", "rules"],
  schema: z.object({
    signUp: z.enum(signUpModes),
    read: z.enum(readModes),
    membersInvite: checkbox,
    rules: text(4000),
  }),
} satisfies Form<unknown>;
