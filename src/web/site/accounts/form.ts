import { z } from "zod";
import { type Form, nonce } from "../../layout/form.ts";
import { note } from "../moderation/form.ts";

/** Gives or takes a role; its action is the page of the account. "member" takes the role. */
export const roleForm = {
  action: "/admin/people",
  fields: ["note"],
  hidden: ["nonce"],
  schema: z.object({ role: z.enum(["member", "moderator", "admin"]), nonce, note }),
} satisfies Form<unknown>;
