import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import type { User } from "../users/store.ts";

/** Codes of one set. */
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
 * are shown once, and only their hashes are stored.
 */
export async function makeRecoveryCodes(ctx: Ctx, { id }: Owner): Promise<string[]> {
  const codes = Array.from({ length: codesOfSet }, () =>
    Array.from(randomBytes(codeLength), (byte) => alphabet[byte % alphabet.length]).join(""),
  );
  const fields = codes.flatMap((code) => [hashOf(id, code), unused]);
  await ctx.redis.replaceHash(keys.recoveryCodes(id), "", 0, ...fields);
  // "k7qd-93fm-2xpt-w8ha".
  return codes.map((code) => code.replaceAll(/.{4}(?=.)/g, "$&-"));
}

/**
 * Uses up a code of the user. False if it is wrong or was used before. Takes the same time for an id without
 * codes.
 */
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

/** Whether the user has just signed up and has never had a code. */
export async function isFirstSet(ctx: Ctx, { id, createdAt }: User): Promise<boolean> {
  const isNew = ctx.now() - createdAt / 1000 < offerMilliseconds;
  return isNew && (await ctx.redis.exists(keys.recoveryCodes(id))) === 0;
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
