import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { Invalid } from "../../../domain/errors.ts";
import { anyText, formOf, nextPath, nonce, safePath } from "../../layout/form.ts";

const agreed = z
  .string()
  .optional()
  .transform((value) => value !== undefined && value !== "");

export const signUpForm = formOf("/signup", {
  fields: { name: z.string(), fullname: z.string(), reason: anyText, agreed },
  secrets: { password: z.string() },
  hidden: { next: nextPath, invitation: anyText },
});

export const logInForm = formOf("/login", {
  fields: { name: z.string() },
  secrets: { password: z.string() },
  hidden: { next: nextPath },
});

/** As typed: apps show "123 456", Japanese keyboards write full-width digits. */
const code = z
  .string()
  .max(100)
  .transform((text) => text.normalize("NFKC").replaceAll(/\s/g, ""));

/** The second page of a log-in. */
export const logInCodeForm = formOf("/login/code", { secrets: { code } });

/** Turns on the authenticator app. */
export const totpForm = formOf("/settings/security/totp", { secrets: { code } });

/** Max characters of a passkey's answer as JSON. */
const largestAnswer = 20_000;

/** Each way to confirm is a form of its own, which sends one of these fields. */
export const confirmForm = formOf("/prove", {
  secrets: {
    confirm_password: z.string().optional(),
    confirm_code: code.optional(),
    confirm_passkey: z.string().max(largestAnswer).optional(),
  },
  hidden: { next: nextPath },
});

export function confirmPath(next: string): string {
  return `${confirmForm.action}?next=${encodeURIComponent(next)}`;
}

/** A way back in with a recovery code. A mistyped code comes back, as it is worth nothing. */
export const codeForm = formOf("/forgot/code", {
  fields: { name: z.string(), recovery_code: z.string() },
});

/** A way back in by mail; `account` is a name or an address. */
export const forgottenForm = formOf("/forgot/mail", {
  fields: { account: z.string().trim().min(1).max(254) },
});

/** Form for a new password. Its action has the token of a link. */
export const newPasswordForm = formOf("", { secrets: { new_password: z.string() } });

/** `next`: set right after sign-up, where the form needs no password. */
export const recoveryForm = formOf("/settings/account/recovery", {
  secrets: { password: anyText },
  hidden: { next: z.string().transform(safePath).optional().catch(undefined), nonce },
});

export const addressForm = formOf("/settings/account/mail", {
  fields: { address: z.string() },
  secrets: { password: z.string().optional() },
});

/** A button that confirms an address; its action has the token of a link. */
export const confirmAddressForm = formOf("");

/** An admin makes a link for a user. `factors` is a checkbox. */
export const resetLinkForm = formOf("/admin/reset", {
  fields: {
    name: z.string(),
    note: anyText,
    factors: z.literal("remove").optional().catch(undefined),
  },
  hidden: { nonce },
});

const answer = z.string().max(largestAnswer).default("");

/** What the site's script asks a passkey for. */
export const passkeyOptionsForm = formOf("/passkeys/options", {
  hidden: { act: z.enum(["log-in", "confirm", "add"]) },
});

export const passkeyLogInForm = formOf("/login/passkey", {
  secrets: { passkey: answer },
  hidden: { next: nextPath },
});

export const addPasskeyForm = formOf("/settings/security/passkeys", {
  fields: { name: anyText },
  secrets: { passkey: answer },
});

export const removePasskeyForm = formOf("/settings/security/passkeys/remove", {
  hidden: { id: z.string() },
});

const base64url = z.string().regex(/^[\w-]+$/);
const common = {
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}).catch({}),
};
const assertion = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional().catch(undefined),
  }),
});
const attestation = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(8).catch([]),
  }),
});

/** Answer of a passkey that logs in or confirms. Throws Invalid. */
export function readPasskeyAnswer(text: string): AuthenticationResponseJSON {
  return read(assertion, text);
}

/** Answer of a new passkey. Throws Invalid. */
export function readNewPasskey(text: string): RegistrationResponseJSON {
  return read(attestation, text);
}

function read<Answer>(schema: z.ZodType<Answer>, text: string): Answer {
  // Sent without the script.
  if (text === "") throw new Invalid({ form: "passkey.missing" });
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Invalid({ form: "passkey.wrong" });
  }
}
