import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { generate } from "otplib";
import type { Response } from "supertest";
import type { Authenticator, Deviation } from "./authenticator.ts";
import type { World } from "../world/world.ts";
import type { Visitor } from "./visitor.ts";

/** What a page's script asks the site for, before it asks a passkey. */
export async function readOptions<Options>(visitor: Visitor, act: string): Promise<Options> {
  const { body } = await visitor.post("/passkeys/options", { act }).expect(200);
  return body as Options;
}

/** As the form in the settings does with the site's script. */
export async function addPasskey(
  visitor: Visitor,
  passkey: Authenticator,
  name = "Phone",
): Promise<Response> {
  const options = await readOptions<PublicKeyCredentialCreationOptionsJSON>(visitor, "add");
  const answer = JSON.stringify(passkey.create(options));
  return await visitor.post("/settings/security/passkeys", { name, passkey: answer });
}

/** As the button on the log-in page does. */
export async function logInWithPasskey(
  visitor: Visitor,
  passkey: Authenticator,
  deviation: Deviation = {},
): Promise<Response> {
  const options = await readOptions<PublicKeyCredentialRequestOptionsJSON>(visitor, "log-in");
  const answer = JSON.stringify(passkey.get(options, deviation));
  return await visitor.post("/login/passkey", { passkey: answer, next: "/" });
}

/** The code that an authenticator app with this key shows, `steps` of 30 seconds from now. */
export async function codeOf(secret: string, now = Date.now(), steps = 0): Promise<string> {
  return await generate({ secret, epoch: Math.floor(now / 1000) + 30 * steps });
}

/** Sets up an authenticator app through the pages, a minute ago; returns its key. */
export async function turnOnApp(visitor: Visitor, { ctx, pass }: World): Promise<string> {
  await visitor.post("/settings/security/totp/start").expect(303);
  const { text } = await visitor.get("/settings/security/totp").expect(200);
  const secret = secretOn(text);
  const code = await codeOf(secret, ctx.now());
  await visitor.post("/settings/security/totp", { code }).expect(303);
  pass(60_000);
  return secret;
}

export function secretOn(html: string): string {
  const [, shown = ""] = /<code class="totp-secret">([^<]*)</.exec(html) ?? [];
  return shown.replaceAll(" ", "");
}
