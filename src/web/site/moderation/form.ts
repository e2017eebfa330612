import { z } from "zod";
import { parseSubject } from "../../../domain/moderation/subject.ts";
import { type Form, nonce } from "../../layout/form.ts";

export const note = z.string().default("");

/** Form beside each case; its buttons are the verbs. */
export const decisionForm = {
  action: "/admin/reports",
  fields: ["note"],
  hidden: ["subject", "nonce"],
  schema: z.object({
    subject: z.string().transform((raw, { addIssue }) => {
      const subject = parseSubject(raw);
      if (subject !== undefined) return subject;
      addIssue("no subject");
      return z.NEVER;
    }),
    verb: z.enum(["look", "dismiss", "remove", "suspend", "picture", "header", "fullname", "bio"]),
    nonce,
    note,
  }),
} satisfies Form<unknown>;

export const suspendForm = {
  action: "/admin/suspended",
  fields: ["name", "note"],
  hidden: ["nonce"],
  schema: z.object({ name: z.string(), verb: z.enum(["suspend", "reinstate"]), nonce, note }),
} satisfies Form<unknown>;
