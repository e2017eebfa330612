import { z } from "zod";
import type { Form } from "../../layout/form.ts";
import { act, note } from "../moderation/form.ts";

/** Gives or takes a role; its action is the page of the account. "member" takes the role. */
export const roleForm = {
  action: "/admin/people",
  fields: ["note"],
  hidden: ["act"],
  schema: z.object({ role: z.enum(["member", "moderator", "admin"]), act, note }),
} satisfies Form<unknown>;
