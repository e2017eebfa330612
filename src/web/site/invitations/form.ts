import { z } from "zod";
import { parseUserId } from "../../../domain/ids.ts";
import { type Form, nonce } from "../../layout/form.ts";
import { note } from "../moderation/form.ts";

const count = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .catch(0);

/** Makes an invitation. */
export const inviteForm = {
  action: "/settings/invitations",
  fields: ["uses", "days", "note"],
  hidden: ["nonce"],
  schema: z.object({ uses: count, days: count, note: z.string().default(""), nonce }),
} satisfies Form<unknown>;

const digest = z.string().regex(/^[\w-]{43}$/);
const userId = z.string().transform((raw, { addIssue }) => {
  const id = parseUserId(raw);
  if (id !== undefined) return id;
  addIssue("no user");
  return z.NEVER;
});

const inviter = z
  .string()
  .optional()
  .transform((raw) => parseUserId(raw ?? ""));

/** Ends an invitation; `inviter` is for admins, who may end those of others. */
export const revokeForm = {
  action: "/settings/invitations/revoke",
  hidden: ["invitation", "inviter"],
  schema: z.object({
    invitation: digest,
    inviter,
  }),
} satisfies Form<unknown>;

/** Ends an invitation of any user; without an `inviter` it was made in the shell. */
export const endInvitationForm = {
  action: "/admin/invitations",
  hidden: ["invitation", "inviter", "nonce"],
  schema: z.object({ invitation: digest, inviter, nonce, note }),
} satisfies Form<unknown>;

/** Accepts or declines an applicant, with a note. */
export const decideForm = {
  action: "/admin/requests",
  fields: ["note"],
  hidden: ["applicant", "nonce"],
  schema: z.object({
    applicant: userId,
    verb: z.enum(["accept", "decline"]),
    nonce,
    note,
  }),
} satisfies Form<unknown>;
