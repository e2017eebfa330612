import { availableParallelism } from "node:os";
import bcrypt from "bcrypt";
import type { Problem } from "../errors.ts";
import { apart } from "../deadline.ts";
import { type Asker, takeTurns } from "../concurrency-limit.ts";
import { foldPassword, isBuiltOn, isCommon } from "./common-passwords.ts";
import { foldName } from "./names.ts";

/** bcrypt ignores everything after this many bytes. Longer passwords are refused, not silently cut. */
const maxBytes = 72;
const minCharacters = 8;

/** Leaves a core for pages: many log-ins must not slow them down. */
const atOnce = Math.max(1, availableParallelism() - 1);
/** At about 190 ms each, clients and proxies would time out in a longer queue. */
const queueLimit = 150 * atOnce;

/** Max from one address, or from one signed-in user. */
const fromLimit = 30;

const what = "passwords to check";
const inTurn = takeTurns({ what, atOnce, queueLimit, fromLimit, retryAfter: 10 });

export function passwordProblem(password: string, name: string): Problem | undefined {
  if (password.includes("\0")) return "password.nul";
  if (Buffer.byteLength(password) > maxBytes) return "password.long";
  if ([...password].length < minCharacters) return "password.short";
  const folded = foldPassword(password);
  if (isBuiltOn(folded, foldName(name))) return "password.name";
  return isCommon(folded) ? "password.common" : undefined;
}

/** Sign-ups have a queue of their own. `from` identifies the client. Throws TooMany while too many others wait. */
export async function hashPassword(password: string, cost: number, from = ""): Promise<string> {
  return await apart(() => inTurn(() => bcrypt.hash(password, cost), { lane: "hash", from }));
}

/**
 * Whether `password` is the one that was hashed. Without a hash (no such user) it takes the same time and
 * returns false. Known clients, by a session or an earlier sign-in, have a queue of their own. Throws TooMany
 * while too many others wait.
 */
export async function checkPassword(
  password: string,
  hash: string | undefined,
  cost: number,
  asker: Asker = { lane: "check", from: "" },
): Promise<boolean> {
  const against = hash ?? (await decoy(cost));
  const matches = await apart(() => inTurn(() => bcrypt.compare(password, against), asker));
  const acceptable = Buffer.byteLength(password) <= maxBytes && !password.includes("\0");
  return matches && acceptable && hash !== undefined;
}

const decoys = new Map<number, Promise<string>>();

/** A real hash that matches no password, made once per cost. */
async function decoy(cost: number): Promise<string> {
  const known = decoys.get(cost) ?? bcrypt.hash(crypto.randomUUID(), cost);
  decoys.set(cost, known);
  return await known;
}

/** Makes the decoy at start, so that the first unknown name takes no longer. */
export async function warmUpPasswords(cost: number): Promise<void> {
  await decoy(cost);
}
