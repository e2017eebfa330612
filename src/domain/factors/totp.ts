import { generateSecret, generateURI, verify } from "otplib";
import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { Conflict, Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Seal, sealWith } from "../secrets.ts";
import { type Stamp, stampAt } from "../stamp.ts";

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
  const written = await ctx.redis.createHash(key, 0, ...fields);
  // If the client sent the command twice, the first one wrote it.
  if (written === 0 && (await ctx.redis.hget(key, "secret")) !== sealed)
    throw new Conflict({ form: "totp.on" });
  await ctx.redis.del(keys.totpSetup(user));
}

/**
 * Whether the app shows this code. A code is accepted once: each code raises the step in one command, and codes
 * of that step and earlier ones are refused.
 */
export async function checkTotp(
  ctx: Ctx,
  seal: Seal,
  user: UserId,
  code: string,
): Promise<boolean> {
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
