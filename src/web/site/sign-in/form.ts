import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { Invalid } from "../../../domain/errors.ts";
import { type Form, nextPath } from "../../layout/form.ts";

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

/** Max characters of a passkey's answer as JSON. */
const largestAnswer = 20_000;

const answer = z.string().max(largestAnswer).default("");

/** What the site's script asks a passkey for. */
export const passkeyOptionsForm = {
  action: "/passkeys/options",
  hidden: ["act"],
  schema: z.object({ act: z.enum(["log-in", "confirm", "add"]) }),
} satisfies Form<unknown>;

export const passkeyLogInForm = {
  action: "/login/passkey",
  secrets: ["passkey"],
  hidden: ["next"],
  schema: z.object({ passkey: answer, next: nextPath }),
} satisfies Form<unknown>;

export const addPasskeyForm = {
  action: "/settings/security/passkeys",
  fields: ["name"],
  secrets: ["passkey"],
  schema: z.object({ name: z.string().default(""), passkey: answer }),
} satisfies Form<unknown>;

export const removePasskeyForm = {
  action: "/settings/security/passkeys/remove",
  hidden: ["id"],
  schema: z.object({ id: z.string() }),
} satisfies Form<unknown>;

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
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new Invalid({ form: "passkey.wrong" });
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
