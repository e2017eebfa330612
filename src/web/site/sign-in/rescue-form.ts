import { z } from "zod";
import { type Form, nonce, safePath } from "../../layout/form.ts";

/** A way back in with a recovery code. A mistyped code comes back, as it is worth nothing. */
export const codeForm = {
  action: "/forgot/code",
  fields: ["name", "recovery_code"],
  schema: z.object({ name: z.string(), recovery_code: z.string() }),
} satisfies Form<unknown>;

/** A way back in by mail; `account` is a name or an address. */
export const forgottenForm = {
  action: "/forgot/mail",
  fields: ["account"],
  schema: z.object({ account: z.string().trim().min(1).max(254) }),
} satisfies Form<unknown>;

/** Form for a new password. Its action has the token of a link. */
export const newPasswordForm = {
  action: "",
  secrets: ["new_password"],
  schema: z.object({ new_password: z.string() }),
} satisfies Form<unknown>;

/** `next`: set right after sign-up, where the form needs no password. */
export const recoveryForm = {
  action: "/settings/account/recovery",
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({
    password: z.string().default(""),
    next: z.string().transform(safePath).optional().catch(undefined),
  }),
} satisfies Form<unknown>;

export const addressForm = {
  action: "/settings/account/mail",
  fields: ["address"],
  secrets: ["password"],
  schema: z.object({ address: z.string(), password: z.string().optional() }),
} satisfies Form<unknown>;

/** A button; its action has the token of a link. */
export const confirmForm = {
  action: "",
  schema: z.object({}),
} satisfies Form<unknown>;

/** An admin makes a link for a user. */
export const resetLinkForm = {
  action: "/admin/reset",
  fields: ["name", "note"],
  hidden: ["nonce"],
  schema: z.object({
    name: z.string(),
    note: z.string().default(""),
    /** A checkbox. */
    factors: z.literal("remove").optional().catch(undefined),
    nonce,
  }),
} satisfies Form<unknown>;
