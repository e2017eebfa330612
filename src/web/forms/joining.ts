import { z } from "zod";
import { parseUserId } from "../../domain/ids.ts";
import type { Form } from "./form.ts";

const count = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .catch(0);

/** Makes an invitation. */
export const inviteForm = {
  action: "/settings/invitations",
  fields: ["uses", "days", "note"],
  schema: z.object({ uses: count, days: count, note: z.string().default("") }),
} satisfies Form<unknown>;

const digest = z.string().regex(/^[\w-]{43}$/);
const userId = z.string().transform((raw, { addIssue }) => {
  const id = parseUserId(raw);
  if (id !== undefined) return id;
  addIssue("no user");
  return z.NEVER;
});

/** Ends an invitation; `inviter` is for admins, who may end those of others. */
export const revokeForm = {
  action: "/settings/invitations/revoke",
  hidden: ["invitation", "inviter"],
  schema: z.object({
    invitation: digest,
    inviter: z
      .string()
      .optional()
      .transform((raw) => parseUserId(raw ?? "")),
  }),
} satisfies Form<unknown>;

/** Accepts or declines an applicant, with a note. */
export const decideForm = {
  action: "/admin/requests",
  fields: ["note"],
  hidden: ["applicant"],
  schema: z.object({
    applicant: userId,
    verb: z.enum(["accept", "decline"]),
    note: z.string().default(""),
  }),
} satisfies Form<unknown>;
