import { z } from "zod";
import { mapFields, profileFields } from "../../../domain/profile-fields.ts";
import { themes } from "../../../domain/users/store.ts";
import { type Form, nextPath } from "../../layout/form.ts";

export const profileForm = {
  action: "/settings/profile",
  fields: Object.keys(profileFields),
  schema: z.object({
    ...mapFields(() => z.string().default("")),
    fullname: z.string(),
    bio: z.string(),
  }),
} satisfies Form<unknown>;

/** The file itself is read by request/uploads.ts. */
export const avatarForm = {
  action: "/settings/avatar",
  secrets: ["avatar"],
  schema: z.object({}),
} satisfies Form<unknown>;

/** The first step after a sign-up; its picture is read as that of `avatarForm`. */
export const startForm = {
  action: "/start",
  fields: ["bio"],
  secrets: ["avatar"],
  schema: z.object({ bio: z.string().default("") }),
} satisfies Form<unknown>;

/** As avatarForm. */
export const headerForm = {
  action: "/settings/header",
  secrets: ["header"],
  schema: z.object({}),
} satisfies Form<unknown>;

export const passwordForm = {
  action: "/settings/account",
  secrets: ["current_password", "new_password"],
  // Without the current password after another way to confirm, see isConfirmed.
  schema: z.object({ current_password: z.string().optional(), new_password: z.string() }),
} satisfies Form<unknown>;

/** Ends the session with this handle; without a handle, all other sessions. */
export const endSessionForm = {
  action: "/settings/sessions",
  hidden: ["session"],
  schema: z.object({ session: z.string().optional() }),
} satisfies Form<unknown>;

/** Revokes the access of the app with this client id. */
export const endAppForm = {
  action: "/settings/apps",
  hidden: ["app"],
  schema: z.object({ app: z.string() }),
} satisfies Form<unknown>;

export const deletionForm = {
  action: "/settings/account/delete",
  fields: ["name"],
  secrets: ["password"],
  schema: z.object({ name: z.string(), password: z.string().optional() }),
} satisfies Form<unknown>;

/** Language of the site from now on; an empty `language` follows the browser. */
export const languageForm = {
  action: "/language",
  fields: ["language"],
  hidden: ["next"],
  schema: z.object({ language: z.string(), next: nextPath }),
} satisfies Form<unknown>;

/** Colours of the pages; an empty `theme` follows the system. */
export const themeForm = {
  action: "/settings/theme",
  fields: ["theme"],
  schema: z.object({ theme: z.enum(themes) }),
} satisfies Form<unknown>;
