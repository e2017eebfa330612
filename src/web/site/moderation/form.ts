import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseSubject } from "../../../domain/moderation/subject.ts";
import type { Form } from "../../layout/form.ts";

export const reportForm = {
  action: "",
  fields: ["reason", "comment"],
  schema: z.object({ reason: z.string().default(""), comment: z.string().default("") }),
} satisfies Form<unknown>;

export const act = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .default(() => randomUUID());
export const note = z.string().default("");

/** Form beside each case; its buttons are the verbs. */
export const decisionForm = {
  action: "/admin/reports",
  fields: ["note"],
  hidden: ["subject", "act"],
  schema: z.object({
    subject: z.string().transform((raw, { addIssue }) => {
      const subject = parseSubject(raw);
      if (subject !== undefined) return subject;
      addIssue("no subject");
      return z.NEVER;
    }),
    verb: z.enum(["dismiss", "remove", "suspend", "picture", "header", "fullname", "bio"]),
    act,
    note,
  }),
} satisfies Form<unknown>;

/** Beside each failed job, and for all of a queue; its action is the page of the queue. */
export const failedJobForm = {
  action: "/admin/queues",
  hidden: ["job", "act"],
  schema: z.object({
    job: z.string().max(200).default(""),
    verb: z.enum(["retry", "drop", "retryAll"]),
    act,
  }),
} satisfies Form<unknown>;

export const suspendForm = {
  action: "/admin/suspended",
  fields: ["name", "note"],
  hidden: ["act"],
  schema: z.object({ name: z.string(), verb: z.enum(["suspend", "reinstate"]), act, note }),
} satisfies Form<unknown>;

/** For a new form: its id makes a repeated submission count once. */
export function freshAct(): { act: string } {
  return { act: randomUUID() };
}
