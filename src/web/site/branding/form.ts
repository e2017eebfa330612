import { z } from "zod";
import { readModes, signUpModes } from "../../../domain/site/settings.ts";
import { type Form, nextPath } from "../../layout/form.ts";

/** A checkbox: sent only if it is checked. */
const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

const text = z.string().optional();

/** What admins decide about the site. */
export const siteForm = {
  action: "/admin/site",
  fields: [
    "name",
    "tagline",
    "description",
    "contact",
    "accent",
    "announcement",
    "signUp",
    "read",
    "membersInvite",
    "rules",
  ],
  schema: z.object({
    name: text,
    tagline: text,
    description: text,
    contact: text,
    accent: text,
    announcement: text,
    signUp: z.enum(signUpModes),
    read: z.enum(readModes),
    membersInvite: checkbox,
    rules: text,
  }),
} satisfies Form<unknown>;

/** The file itself is read by request/uploads.ts. */
export const logoForm = {
  action: "/admin/site/logo",
  secrets: ["logo"],
  schema: z.object({}),
} satisfies Form<unknown>;

/** Puts the announcement with this digest away. */
export const announcementForm = {
  action: "/announcement",
  hidden: ["announcement", "next"],
  schema: z.object({ announcement: z.string().regex(/^[0-9a-f]{16}$/), next: nextPath }),
} satisfies Form<unknown>;
