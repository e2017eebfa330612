import { z } from "zod";
import { mapFields } from "../../../domain/profile-fields.ts";
import { themes } from "../../../domain/users/store.ts";
import { shownMarks } from "../../layout/form-changes.ts";
import { anyText, anyFile, formOf, nextPath } from "../../layout/form.ts";

export const profileForm = formOf("/settings/profile", {
  fields: { ...mapFields(() => anyText), fullname: z.string(), bio: z.string() },
  hidden: { shownMarks },
});

export const avatarForm = formOf("/settings/avatar", { secrets: { avatar: anyFile } });

/** The first step after a sign-up; its picture is read as that of `avatarForm`. */
export const startForm = formOf("/start", {
  fields: { bio: anyText },
  secrets: { avatar: anyFile },
  hidden: { shownMarks },
});

export const headerForm = formOf("/settings/header", { secrets: { header: anyFile } });

/** Without the current password after another way to confirm, see isConfirmed. */
export const passwordForm = formOf("/settings/account", {
  secrets: { current_password: z.string().optional(), new_password: z.string() },
});

/** Ends the session with this handle; without a handle, all other sessions. */
export const endSessionForm = formOf("/settings/sessions", {
  hidden: { session: z.string().optional() },
});

/** Revokes the access of the app with this client id. */
export const endAppForm = formOf("/settings/apps", { hidden: { app: z.string() } });

export const deletionForm = formOf("/settings/account/delete", {
  fields: { name: z.string() },
  secrets: { password: z.string().optional() },
});

/** Language of the site from now on; an empty `language` follows the browser. */
export const languageForm = formOf("/language", {
  fields: { language: z.string() },
  hidden: { next: nextPath },
});

/** Colours of the pages; an empty `theme` follows the system. */
export const themeForm = formOf("/settings/theme", { fields: { theme: z.enum(themes) } });
