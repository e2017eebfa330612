import type { Ctx } from "../../context.ts";
import { JsonRecords, type JsonRecord } from "../../redis/json-records.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import type { ClientId, UserId } from "../ids.ts";
import { locateUserToken, newUserToken, type TokenLocation } from "../secrets.ts";
import type { VerifiedLogIn } from "../users/log-in.ts";

/** What a user has agreed to. */
export interface Consent {
  app: ClientId;
  redirectUri: string;
  /** Spelled by formatScopes. */
  scopes: string;
  /** PKCE: S256 of the verifier that the app will send, if it uses PKCE. */
  challenge: string | undefined;
}

export interface Code extends Consent {
  /** Milliseconds, by the clock of Redis: the clock of a process may be wrong. */
  until: number;
  /** Of the user, see User.generation; absent for the first. */
  generation?: string;
  /** Digest of the one token that was issued for it. */
  token?: string;
}

/** Codes are stored under their user, so that all access of a user ends together. */
function codesOf({ redis }: Ctx, user: UserId): JsonRecords<Code> {
  return new JsonRecords(redis, keys.codes(user));
}

/** A code that leads an app to the consent for ten minutes. */
export async function issueCode(
  ctx: Ctx,
  { user, generation }: VerifiedLogIn,
  consent: Consent,
): Promise<string> {
  const { token: code, digest } = newUserToken(user);
  const now = await ctx.redis.serverTime(keys.codes(user));
  const until = now + ttlOf("codes") * 1000;
  const codes = codesOf(ctx, user);
  await codes.write(digest, { ...consent, generation, until }, ttlOf("codes"));
  await codes.trim((one) => one.until, mostOf("codes"), now);
  return code;
}

/** Undefined for text that cannot be a code. */
export const locateCode = locateUserToken;

/** A code that has not expired, used or not. */
export async function readCode(
  ctx: Ctx,
  { user, digest }: TokenLocation,
): Promise<JsonRecord<Code> | undefined> {
  const [code, now] = await Promise.all([
    codesOf(ctx, user).find(digest),
    ctx.redis.serverTime(keys.codes(user)),
  ]);
  return code !== undefined && code.value.until > now ? code : undefined;
}

/** Uses a code for one token. False if it was used or dropped meanwhile. May run twice. */
export async function claimCode(
  ctx: Ctx,
  { user, digest }: TokenLocation,
  code: JsonRecord<Code>,
  token: string,
): Promise<boolean> {
  const codes = codesOf(ctx, user);
  if (await codes.replace(code, { ...code.value, token })) return true;
  // If the client sent the command twice, the first one made this change.
  return (await codes.find(digest))?.value.token === token;
}

export async function dropCode(ctx: Ctx, { user, digest }: TokenLocation): Promise<void> {
  await codesOf(ctx, user).remove(digest);
}

/** Used and unused codes of an app. */
export async function dropCodesFor(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  const codes = codesOf(ctx, user);
  const dropped = (await codes.list()).filter(({ value }) => value.app === app);
  await codes.remove(...dropped.map(({ field }) => field));
}
