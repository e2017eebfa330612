import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { Invalid } from "../../domain/errors.ts";
import type { Form } from "./form.ts";
import { nextPath } from "./safe-redirect.ts";

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
