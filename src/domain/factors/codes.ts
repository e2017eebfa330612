import { createHmac, randomUUID } from "node:crypto";
import { generateSecret, generateURI, verify } from "otplib";
import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { type UserId, type Stamp, stampAt } from "../ids.ts";
import { requireRight, requireRightOr } from "../users/roles.ts";
import type { User } from "../users/store.ts";
import { Conflict, Invalid } from "../errors.ts";
import { formDigest, type Seal, sealWith } from "../secrets.ts";

const codesOfSet = 10;
/** Characters of a code. With 80 bits a fast hash is enough: the codes cannot be tried out. */
const codeLength = 16;
/** Crockford's base32: no two of these look alike. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** Milliseconds after sign-up in which the first set needs no password: it was just typed. */
const offerMilliseconds = 15 * 60_000;
/** Milliseconds in which a form with a code may be sent again: its answer may have been lost. */
const repeatMilliseconds = 60_000;
/** Stored for a code that was not used yet. */
const unused = "unused";

type Owner = Pick<User, "id">;

/**
 * Makes a set of ten codes for the user; all earlier codes end. Returns them as the user will type them: they
 * are shown once, and only their hashes are stored. The same form makes the same set.
 */
export async function makeRecoveryCodes(ctx: Ctx, { id }: Owner, nonce?: string) {
  const codes = codesOf(ctx, id, nonce);
  const fields = codes.flatMap((code) => [hashOf(id, code), unused]);
  const key = keys.recoveryCodes(id);
  await requireRight();
  // Sent again, the form leaves used codes used.
  if ((await ctx.redis.hexists(key, fields[0] ?? "")) === 0)
    await ctx.redis.replaceHash(key, "", 0, ...fields);
  await requireRightOr(() => ctx.redis.clearFields(key, ...fields));
  // "k7qd-93fm-2xpt-w8ha".
  return codes.map((code) => code.replaceAll(/.{4}(?=.)/g, "$&-"));
}

/** Without a nonce, random. */
function codesOf(ctx: Ctx, user: UserId, nonce?: string): string[] {
  return Array.from({ length: codesOfSet }, (_, nth) => {
    const bytes = formDigest(nonce, ctx.config.sessionSecret, user, nth).subarray(0, codeLength);
    return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
  });
}

/** Uses up a code of the user. False if it is wrong or was used before. Takes the same time for an id without codes. */
export async function useRecoveryCode(
  ctx: Ctx,
  { id }: Owner,
  typed: string,
  use: string = randomUUID(),
): Promise<boolean> {
  const key = keys.recoveryCodes(id);
  const field = hashOf(id, foldCode(typed));
  const won = await ctx.redis.updateIf(key, field, unused, field, use);
  // If the client sent the command twice, the first one made this change.
  return won === 1 || (await ctx.redis.hget(key, field)) === use;
}

/**
 * Uses up a code to set a new password. True once more for the same form, sent again within a minute while the user has
 * the same generation: the first one may have failed afterwards.
 */
export async function useCodeForReset(
  ctx: Ctx,
  owner: Pick<User, "id" | "generation">,
  typed: string,
): Promise<boolean> {
  const isFirst = await useRecoveryCode(ctx, owner, typed, `${ctx.now()} ${owner.generation}`);
  const key = keys.recoveryCodes(owner.id);
  const stored = await ctx.redis.hget(key, hashOf(owner.id, foldCode(typed)));
  const [, at = "", generation] = /^(\d+) (.*)$/.exec(stored ?? "") ?? [];
  const isAgain = generation === owner.generation && ctx.now() - Number(at) < repeatMilliseconds;
  return isFirst || isAgain;
}

/** Number of codes that are left. */
export async function countRecoveryCodes(ctx: Ctx, { id }: Owner): Promise<number> {
  const states = Object.values(await ctx.redis.hgetall(keys.recoveryCodes(id)));
  return states.filter((state) => state === unused).length;
}

/** Whether the user has just signed up and has had no code, or those of this form, which was sent twice. */
export async function isFirstSet(ctx: Ctx, { id, createdAt }: User, nonce?: string) {
  if (ctx.now() - createdAt / 1000 >= offerMilliseconds) return false;
  const states = await ctx.redis.hgetall(keys.recoveryCodes(id));
  const codes = codesOf(ctx, id, nonce);
  const isSame = codes.every((code) => states[hashOf(id, code)] === unused);
  return Object.keys(states).length === 0 || isSame;
}

/** Ignores case and what stands between the groups; reads o as 0, i and l as 1. */
function foldCode(typed: string): string {
  const plain = typed
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
  return plain.replaceAll("o", "0").replaceAll(/[il]/g, "1");
}

/** The user is part of it, so that a guess counts for one user only. */
function hashOf(user: UserId, code: string): string {
  return createHmac("sha256", `recovery code of user ${user}`).update(code).digest("base64url");
}

/** Seconds for which a code is shown. The code before and the code after it are accepted too. */
const stepSeconds = 30;

export function totpSeal(secret: string): Seal {
  return sealWith(secret, "authenticator app");
}

/** When the authenticator app was turned on; undefined if it is off. */
export async function findTotp(ctx: Ctx, user: UserId): Promise<Stamp | undefined> {
  const since = await ctx.redis.hget(keys.totp(user), "created_at");
  return since === null ? undefined : Number(since);
}

/** Makes a key for an authenticator app. It has no effect before turnOnTotp. Throws Conflict if the app is on. */
export async function startTotp(ctx: Ctx, seal: Seal, user: UserId): Promise<void> {
  if ((await findTotp(ctx, user)) !== undefined) throw new Conflict({ form: "totp.on" });
  const sealed = seal.close(generateSecret(), user);
  await ctx.redis.set(keys.totpSetup(user), sealed, "EX", ttlOf("totpSetup"));
}

/** The key made by startTotp, for the app: as text, in base32, and for a QR code. Undefined if there is none. */
export async function findTotpSetup(
  ctx: Ctx,
  seal: Seal,
  { id, name }: { id: UserId; name: string },
  issuer: string,
) {
  const secret = openSecret(ctx, seal, id, await ctx.redis.get(keys.totpSetup(id)));
  if (secret === undefined) return undefined;
  return { secret, uri: generateURI({ issuer, label: name, secret }) };
}

/**
 * From now on, the password alone does not log in. Throws Invalid: beside `code` if the app shows another code,
 * else for the whole form if the key has expired.
 */
export async function turnOnTotp(ctx: Ctx, seal: Seal, user: UserId, code: string): Promise<void> {
  const sealed = await ctx.redis.get(keys.totpSetup(user));
  const secret = openSecret(ctx, seal, user, sealed);
  if (sealed === null || secret === undefined) throw new Invalid({ form: "totp.expired" });
  const step = await stepOf(ctx, secret, code);
  if (step === undefined) throw new Invalid({ code: "factor.wrong" });
  const key = keys.totp(user);
  const fields = ["secret", sealed, "created_at", stampAt(ctx.now(), user), "step", step];
  await requireRight();
  const written = await ctx.redis.createHash(key, 0, ...fields);
  // If the client sent the command twice, the first one wrote it.
  if (written === 0 && (await ctx.redis.hget(key, "secret")) !== sealed)
    throw new Conflict({ form: "totp.on" });
  await requireRightOr(() => turnOffTotp(ctx, user));
  await ctx.redis.del(keys.totpSetup(user));
}

/** Whether the app shows this code. Each code raises the step in one command, so that it and earlier ones end. */
export async function checkTotp(ctx: Ctx, seal: Seal, user: UserId, code: string) {
  const key = keys.totp(user);
  const secret = openSecret(ctx, seal, user, await ctx.redis.hget(key, "secret"));
  const step = secret === undefined ? undefined : await stepOf(ctx, secret, code);
  return step !== undefined && (await ctx.redis.raiseField(key, "step", step)) === 1;
}

export async function turnOffTotp(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.totp(user));
  await ctx.redis.del(keys.totpSetup(user));
}

function openSecret(ctx: Ctx, seal: Seal, user: UserId, sealed: string | null): string | undefined {
  if (sealed === null) return undefined;
  const secret = seal.open(sealed, user);
  if (secret === undefined)
    ctx.log.error(
      { user },
      "the key of an authenticator app cannot be read: another SESSION_SECRET?",
    );
  return secret;
}

/** Number of the time step whose code this is; undefined if it is no code of these moments. */
async function stepOf(ctx: Ctx, secret: string, code: string): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined;
  const epoch = Math.floor(ctx.now() / 1000);
  const result = await verify({ secret, token: code, epoch, epochTolerance: stepSeconds });
  return result.valid && "timeStep" in result ? result.timeStep : undefined;
}
