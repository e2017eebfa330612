import type { Ctx } from "../../context.ts";
import { type JsonRecord, recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { type UserId, type Stamp, stampAt } from "../ids.ts";
import { cleanLine, fitsGraphemes } from "../users/display-text.ts";

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

const passkeysOf = recordsAt<Stored, UserId>(keys.passkeys);

/** Oldest first. */
export async function listPasskeys(ctx: Ctx, user: UserId): Promise<Passkey[]> {
  const passkeys = await passkeysOf(ctx, user).list();
  return passkeys.map(toPasskey).toSorted((one, other) => one.createdAt - other.createdAt);
}

/** `text` is its stored form, to detect changes. */
export async function findPasskey(ctx: Ctx, user: UserId, id: string) {
  const stored = await passkeysOf(ctx, user).find(id);
  return stored && { passkey: toPasskey(stored), text: stored.text };
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
  const present = await passkeysOf(ctx, user).add(id, stored, mostOf("passkeys"));
  if (present === undefined) throw new Invalid({ form: "passkey.many" });
  // Authenticators choose random ids: this one was added before.
  if (present.text !== JSON.stringify(stored)) throw new Invalid({ form: "passkey.known" });
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
  const passkeys = passkeysOf(ctx, user);
  if (await passkeys.replace({ field: id, text }, used)) return true;
  const present = await passkeys.find(id);
  // If the client sent the command twice, the first one stored it.
  return present !== undefined && (counter === 0 || present.text === JSON.stringify(used));
}

export async function removePasskey(ctx: Ctx, user: UserId, id: string): Promise<void> {
  await passkeysOf(ctx, user).remove(id);
}

export async function removeAllPasskeys(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.passkeys(user));
}

function toPasskey({ field: id, value: { usedAt, ...about } }: JsonRecord<Stored>): Passkey {
  return { id, ...about, usedAt };
}
