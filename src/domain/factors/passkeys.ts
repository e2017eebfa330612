import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes } from "../users/display-text.ts";

/** Max passkeys of a user. */
const passkeysKept = 20;
const passkeyNameLimit = 50;

export interface Passkey {
  /** The credential id, which the authenticator has chosen; base64url. */
  id: string;
  name: string;
  /** In COSE's form; base64url. */
  publicKey: string;
  /** Number of signatures by this authenticator, if it counts them; else 0. */
  counter: number;
  transports: string[];
  /** Whether it may be copied to other devices of its owner; it never changes. */
  synced: boolean;
  createdAt: Stamp;
  /** Undefined before the first use. */
  usedAt: Stamp | undefined;
}

type Stored = Omit<Passkey, "id">;

/** Oldest first. */
export async function listPasskeys(ctx: Ctx, user: UserId): Promise<Passkey[]> {
  const stored = Object.entries(await ctx.redis.hgetall(keys.passkeys(user)));
  return stored
    .map(([id, text]) => parse(id, text))
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/** `text` is its stored form, to detect changes. */
export async function findPasskey(
  ctx: Ctx,
  user: UserId,
  id: string,
): Promise<{ passkey: Passkey; text: string } | undefined> {
  const text = await ctx.redis.hget(keys.passkeys(user), id);
  return text === null ? undefined : { passkey: parse(id, text), text };
}

/** The name as it will be stored. Throws Invalid. */
export function checkPasskeyName(name: string): string {
  const cleaned = cleanLine(name);
  if (!fitsGraphemes(cleaned, passkeyNameLimit)) throw new Invalid({ name: "passkey.name" });
  return cleaned;
}

/** Throws Invalid if the user has too many. */
export async function addPasskey(
  ctx: Ctx,
  user: UserId,
  { id, ...about }: Omit<Passkey, "createdAt" | "usedAt">,
): Promise<void> {
  const stored: Stored = { ...about, createdAt: stampAt(ctx.now(), user), usedAt: undefined };
  const text = JSON.stringify(stored);
  const kept = await ctx.redis.addField(keys.passkeys(user), id, text, passkeysKept);
  if (kept === null) throw new Invalid({ form: "passkey.many" });
  // Authenticators choose random ids: this one was added before.
  if (kept !== text) throw new Invalid({ form: "passkey.known" });
}

/**
 * Stores the counter and the time of a use. False if the passkey was removed meanwhile. Of two uses at the same
 * moment one is stored; the other is refused if the passkey counts, as one of them may be that of a copy.
 */
export async function noteUse(
  ctx: Ctx,
  user: UserId,
  { passkey: { id, ...about }, text }: { passkey: Passkey; text: string },
  counter: number,
): Promise<boolean> {
  const used: Stored = { ...about, counter, usedAt: stampAt(ctx.now(), user) };
  const [key, next] = [keys.passkeys(user), JSON.stringify(used)];
  if ((await ctx.redis.updateIf(key, id, text, id, next)) === 1) return true;
  const stored = await ctx.redis.hget(key, id);
  // If the client sent the command twice, the first one stored it.
  return stored === next || (stored !== null && counter === 0);
}

export async function removePasskey(ctx: Ctx, user: UserId, id: string): Promise<void> {
  await ctx.redis.hdel(keys.passkeys(user), id);
}

export async function removeAllPasskeys(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.passkeys(user));
}

function parse(id: string, text: string): Passkey {
  const { usedAt, ...about } = JSON.parse(text) as Stored;
  return { id, ...about, usedAt };
}
