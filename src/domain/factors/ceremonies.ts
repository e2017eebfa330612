import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { digestOf, newSecret } from "../secrets.ts";
import { Invalid } from "../errors.ts";
import { type UserId, parseUserId } from "../ids.ts";
import { requireRight, requireRightOr } from "../users/roles.ts";
import type { User } from "../users/store.ts";
import {
  type Passkey,
  addPasskey,
  findPasskey,
  listPasskeys,
  noteUse,
  removePasskey,
} from "./passkeys.ts";

/** This site, as passkeys know it: they answer to this domain and this origin only. */
export interface RelyingParty {
  /** The domain. */
  id: string;
  origin: string;
  name: string;
}

/** Milliseconds that a browser has to answer. */
const timeout = ttlOf("challenge") * 1000;

/** Loaded on first use: it takes a fifth of a second, which no start should wait for. */
const webauthn = async () => import("@simplewebauthn/server");

/** Options for a browser that adds a passkey. The passkey can log in by itself, and checks who holds it. */
export async function askForNewPasskey(ctx: Ctx, site: RelyingParty, user: User) {
  const challenge = await giveChallenge(ctx, { act: "add", user: user.id });
  const { generateRegistrationOptions } = await webauthn();
  return await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userID: new TextEncoder().encode(user.id),
    userName: user.name,
    userDisplayName: user.fullname,
    challenge: bytesOf(challenge),
    timeout,
    attestationType: "none",
    excludeCredentials: descriptorsOf(await listPasskeys(ctx, user.id)),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Adds the passkey that a browser made for askForNewPasskey. Throws Invalid. */
export async function addNewPasskey(
  ctx: Ctx,
  site: RelyingParty,
  user: UserId,
  { name, answer }: { name: string; answer: RegistrationResponseJSON },
): Promise<void> {
  const expected = await expectedOf(ctx, site, answer, { act: "add", user });
  const { verifyRegistrationResponse } = await webauthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: answer,
    ...expected,
  }).catch(refuse);
  if (!verified) refuse();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  await requireRight();
  await addPasskey(ctx, user, {
    id,
    name,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports,
    synced: isSynced(registrationInfo),
  });
  await requireRightOr(() => removePasskey(ctx, user, id));
}

/** Options for a browser that logs in or confirms with a passkey. To log in, the browser offers all it has for this site. */
export async function askForPasskey(ctx: Ctx, site: RelyingParty, purpose: Purpose) {
  const challenge = await giveChallenge(ctx, purpose);
  const passkeys = purpose.act === "log-in" ? [] : await listPasskeys(ctx, purpose.user);
  const { generateAuthenticationOptions } = await webauthn();
  return await generateAuthenticationOptions({
    rpID: site.id,
    challenge: bytesOf(challenge),
    timeout,
    userVerification: "required",
    allowCredentials: descriptorsOf(passkeys),
  });
}

/** The user whose passkey answered. Throws the same Invalid for an unknown passkey and for a wrong signature. */
export async function checkPasskey(
  ctx: Ctx,
  site: RelyingParty,
  answer: AuthenticationResponseJSON,
  purpose: Purpose,
): Promise<UserId> {
  const expected = await expectedOf(ctx, site, answer, purpose);
  const user = purpose.act === "log-in" ? holderIn(answer) : purpose.user;
  const passkey = await findPasskey(ctx, user, answer.id);
  if (passkey === undefined) refuse();
  const { id, publicKey, counter, synced } = passkey.passkey;
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer,
    ...expected,
    credential: { id, counter, publicKey: bytesOf(publicKey) },
  }).catch((error: unknown) => {
    ctx.log.warn({ user, reason: String(error) }, "passkey refused");
    return refuse();
  });
  if (!verified || isSynced(authenticationInfo) !== synced) refuse();
  if (!(await noteUse(ctx, user, passkey, authenticationInfo.newCounter))) refuse();
  return user;
}

/** What an answer must have: the challenge that it signed, if that was given for this purpose and is not used yet. */
async function expectedOf(
  ctx: Ctx,
  site: RelyingParty,
  { response }: AuthenticationResponseJSON | RegistrationResponseJSON,
  purpose: Purpose,
) {
  const { decodeClientDataJSON } = await import("@simplewebauthn/server/helpers");
  let challenge: unknown;
  try {
    ({ challenge } = decodeClientDataJSON(response.clientDataJSON));
  } catch {
    refuse();
  }
  if (typeof challenge !== "string" || !(await takeChallenge(ctx, challenge, purpose))) refuse();
  return {
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  };
}

/** The user handle is the user's id. Passkeys that log in always send it. */
function holderIn({ response }: AuthenticationResponseJSON): UserId {
  return parseUserId(Buffer.from(response.userHandle ?? "", "base64url").toString()) ?? refuse();
}

function isSynced({ credentialDeviceType: kind }: { credentialDeviceType: string }): boolean {
  return kind === "multiDevice";
}

function descriptorsOf(passkeys: Passkey[]) {
  return passkeys.map(({ id, transports }) => ({
    id,
    transports: transports as AuthenticatorTransport[],
  }));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64url"));
}

function refuse(): never {
  throw new Invalid({ form: "passkey.wrong" });
}

/** What a passkey is asked for: to log in, to confirm an act of a user, or to be added to an account. */
type Purpose = { act: "log-in" } | { act: "confirm" | "add"; user: UserId };

/** Random text that a passkey signs. It is good for one answer, for one purpose. */
export async function giveChallenge(ctx: Ctx, purpose: Purpose): Promise<string> {
  const challenge = newSecret();
  const key = keys.challenge(digestOf(challenge));
  await ctx.redis.set(key, formatPurpose(purpose), "EX", ttlOf("challenge"));
  return challenge;
}

/** True once, if the challenge was given for this purpose. Uses it up in any case. */
export async function takeChallenge(ctx: Ctx, challenge: string, purpose: Purpose) {
  const stored = await ctx.redis.getdel(keys.challenge(digestOf(challenge)));
  return stored === formatPurpose(purpose);
}

function formatPurpose(purpose: Purpose): string {
  return purpose.act === "log-in" ? purpose.act : `${purpose.act} ${purpose.user}`;
}
