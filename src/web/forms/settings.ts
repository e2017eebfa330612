import { z } from "zod";
import type { Form } from "./form.ts";

export const profileForm = {
  action: "/settings/profile",
  fields: ["fullname", "bio", "website"],
  secrets: [],
  hidden: [],
  schema: z.object({ fullname: z.string(), bio: z.string(), website: z.string().default("") }),
} satisfies Form<unknown>;

/** The file itself is read by middleware/upload.ts. */
export const avatarForm = {
  action: "/settings/avatar",
  fields: [],
  secrets: ["avatar"],
  hidden: [],
  schema: z.object({}),
} satisfies Form<unknown>;

export const passwordForm = {
  action: "/settings/account",
  fields: [],
  secrets: ["current_password", "new_password"],
  hidden: [],
  // Without the current password after another way to confirm, see isConfirmed.
  schema: z.object({ current_password: z.string().optional(), new_password: z.string() }),
} satisfies Form<unknown>;

/** Ends the session with this handle; without a handle, all other sessions. */
export const endSessionForm = {
  action: "/settings/sessions",
  fields: [],
  secrets: [],
  hidden: ["session"],
  schema: z.object({ session: z.string().optional() }),
} satisfies Form<unknown>;

/** Revokes the access of the app with this client id. */
export const endAppForm = {
  action: "/settings/apps",
  fields: [],
  secrets: [],
  hidden: ["app"],
  schema: z.object({ app: z.string() }),
} satisfies Form<unknown>;

export const deletionForm = {
  action: "/settings/account/delete",
  fields: ["name"],
  secrets: ["password"],
  hidden: [],
  schema: z.object({ name: z.string(), password: z.string().optional() }),
} satisfies Form<unknown>;
