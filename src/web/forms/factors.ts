import { z } from "zod";
import type { Form } from "./form.ts";
import { nextPath } from "./safe-redirect.ts";

/** As typed: apps show "123 456", Japanese keyboards write full-width digits. */
const code = z
  .string()
  .max(100)
  .transform((text) => text.normalize("NFKC").replaceAll(/\s/g, ""));

/** The second page of a log-in. */
export const logInCodeForm = {
  action: "/login/code",
  secrets: ["code"],
  schema: z.object({ code }),
} satisfies Form<unknown>;

/** Turns on the authenticator app. */
export const totpForm = {
  action: "/settings/security/totp",
  secrets: ["code"],
  schema: z.object({ code }),
} satisfies Form<unknown>;

/** Each way to confirm is a form of its own, which sends one of these fields. */
export const confirmForm = {
  action: "/prove",
  secrets: ["confirm_password", "confirm_code", "confirm_passkey"],
  hidden: ["next"],
  schema: z.object({
    confirm_password: z.string().optional(),
    confirm_code: code.optional(),
    confirm_passkey: z.string().max(20_000).optional(),
    next: nextPath,
  }),
} satisfies Form<unknown>;

export function confirmPath(next: string): string {
  return `${confirmForm.action}?next=${encodeURIComponent(next)}`;
}
