import { availableParallelism } from "node:os";
import bcrypt from "bcrypt";
import type { Problem } from "../errors.ts";
import { apart } from "../deadline.ts";
import { type Asker, takeTurns } from "../concurrency-limit.ts";
import { foldPassword, isBuiltOn, isCommon } from "./common-passwords.ts";
import { foldName } from "./names.ts";

/** bcrypt ignores everything past this many bytes, so more is refused rather than silently cut. */
const maxBytes = 72;
const minCharacters = 8;

/** Leaves a core for pages: a flood of log-ins must not starve them. */
const atOnce = Math.max(1, availableParallelism() - 1);
/** At about 190 ms each, a longer queue would outlast the patience of browsers and routers. */
const queueLimit = 150 * atOnce;

/** Of one address, or of one user who is signed in. */
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

/** Sign-ups have a lane of their own. `from` tells who asks. Throws TooMany while too many others wait. */
export async function hashPassword(password: string, cost: number, from = ""): Promise<string> {
  return await apart(() => inTurn(() => bcrypt.hash(password, cost), { lane: "hash", from }));
}

/**
 * Whether `password` is the one that was hashed. Without a hash (no such user) it takes as long and
 * is false. Who is known, by a session or an earlier sign-in, has a lane of its own. Throws TooMany while too many others wait.
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

/** A real hash that nobody's password has, made once per cost. */
async function decoy(cost: number): Promise<string> {
  const known = decoys.get(cost) ?? bcrypt.hash(crypto.randomUUID(), cost);
  decoys.set(cost, known);
  return await known;
}

/** Makes the decoy before anybody asks, so that the first unknown name does not take longer. */
export async function warmUpPasswords(cost: number): Promise<void> {
  await decoy(cost);
}
