import { z } from "zod";
import { filterActions, filterContexts } from "../../domain/graph/filters.ts";
import { themes } from "../../domain/users/store.ts";
import type { Form } from "./form.ts";
import { nextPath } from "./safe-redirect.ts";

export const signUpForm = {
  action: "/signup",
  fields: ["name", "fullname", "reason", "agreed"],
  secrets: ["password"],
  hidden: ["next", "invitation"],
  schema: z.object({
    name: z.string(),
    fullname: z.string(),
    password: z.string(),
    reason: z.string().default(""),
    agreed: z
      .string()
      .optional()
      .transform((value) => value !== undefined && value !== ""),
    invitation: z.string().default(""),
    next: nextPath,
  }),
} satisfies Form<unknown>;

export const logInForm = {
  action: "/login",
  fields: ["name"],
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({ name: z.string(), password: z.string(), next: nextPath }),
} satisfies Form<unknown>;

export const profileForm = {
  action: "/settings/profile",
  fields: ["fullname", "bio", "website"],
  schema: z.object({ fullname: z.string(), bio: z.string(), website: z.string().default("") }),
} satisfies Form<unknown>;

/** The file itself is read by middleware/bodies.ts. */
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

/** Durations of mutes: form value and days. */
export const mutedFor = [
  { value: "1", days: 1 },
  { value: "7", days: 7 },
  { value: "30", days: 30 },
  { value: "ever", days: undefined },
] as const;

/** Mutes a user; without a duration that is known, for ever. */
export const muteForm = {
  action: "mute",
  schema: z
    .object({ duration: z.enum(mutedFor.map(({ value }) => value)).catch("ever") })
    .transform(({ duration }) => mutedFor.find(({ value }) => value === duration)?.days),
} satisfies Form<unknown>;

export const muteWordForm = {
  action: "/settings/muted",
  fields: ["word", "duration", "action", ...filterContexts],
  schema: z
    .object({
      word: z.string(),
      duration: z.enum(mutedFor.map(({ value }) => value)),
      action: z.enum(filterActions).default("hide"),
      ...Object.fromEntries(filterContexts.map((context) => [context, z.string().optional()])),
    })
    .transform(({ word, duration, action, ...chosen }) => ({
      word,
      days: mutedFor.find(({ value }) => value === duration)?.days,
      action,
      contexts: filterContexts.filter((context) => context in chosen),
    })),
} satisfies Form<unknown>;

export const unmuteWordForm = {
  action: "/settings/muted/remove",
  hidden: ["filter"],
  schema: z.object({ filter: z.string() }),
} satisfies Form<unknown>;
