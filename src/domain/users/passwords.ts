import { availableParallelism } from "node:os";
import { dictionary } from "@zxcvbn-ts/language-common";
import bcrypt from "bcrypt";
import type { Problem } from "../errors.ts";
import { pauseDeadline } from "../deadline.ts";
import { type Place, limitConcurrency } from "../concurrency-limit.ts";
import { foldName } from "./store.ts";

/** bcrypt ignores everything after this many bytes. Longer passwords are refused, not silently cut. */
const maxBytes = 72;
const minCharacters = 8;

/** Leaves a core for pages: many log-ins must not slow them down. */
const slots = Math.max(1, availableParallelism() - 1);
/** At about 190 ms each, clients and proxies would time out in a longer queue. */
const queueLimit = 150 * slots;

/** Max from one address, or from one signed-in user. */
const clientLimit = 30;

const what = "passwords to check";
const inSlot = limitConcurrency({ what, slots, queueLimit, clientLimit, retryAfter: 10 });

/** The most common stolen passwords, in lower case; short ones too, as "dragon" in "dragon2024". */
const stolenPasswords = new Set(dictionary["passwords-common"]);
/** Min letters of a stolen password beside digits: shorter ones say little about what is typed. */
const minStolenLetters = 3;
const siteNames = ["suzume", "すずめ", "スズメ", "雀"];
/** Max digits and signs beside a word; guessers soon try all of them. */
const fewSigns = 8;

export function passwordProblem(password: string, name: string): Problem | undefined {
  if (password.includes("\0")) return "password.nul";
  if (Buffer.byteLength(password) > maxBytes) return "password.long";
  if ([...password].length < minCharacters) return "password.short";
  // Full width and capitals make a password no better.
  const folded = password.normalize("NFKC").toLowerCase();
  if (isBuiltOn(folded, foldName(name))) return "password.name";
  return isCommon(folded) ? "password.common" : undefined;
}

/** Whether a folded password is among the first that guessers try. */
function isCommon(folded: string): boolean {
  if (/^\s*$/u.test(folded) || isRow([...folded])) return true;
  if (siteNames.some((name) => isBuiltOn(folded, name))) return true;
  // "sunshine" of "sunshine1!".
  const word = folded.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
  return (
    stolenPasswords.has(folded) || (word.length >= minStolenLetters && stolenPasswords.has(word))
  );
}

/** Whether a folded password is only a folded name, once or more, and a few digits and signs. */
function isBuiltOn(folded: string, name: string): boolean {
  const rest = folded.replaceAll(name, "");
  return rest !== folded && rest.length <= fewSigns && !/\p{L}/u.test(rest);
}

/** One character repeated, or characters in sequence: "aaaaaaaa", "23456789", "hgfedcba". */
function isRow(characters: string[]): boolean {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  if (Math.abs(step) > 1) return false;
  return codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}

/** Sign-ups have a queue of their own. `from` identifies the client. Throws TooMany while too many others wait. */
export async function hashPassword(password: string, cost: number, from = ""): Promise<string> {
  return await pauseDeadline(() =>
    inSlot(() => bcrypt.hash(password, cost), { queue: "hash", client: from }),
  );
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
  place: Place = { queue: "check", client: "" },
): Promise<boolean> {
  const against = hash ?? (await makeDecoy(cost));
  const matches = await pauseDeadline(() => inSlot(() => bcrypt.compare(password, against), place));
  const acceptable = Buffer.byteLength(password) <= maxBytes && !password.includes("\0");
  return matches && acceptable && hash !== undefined;
}

const decoys = new Map<number, Promise<string>>();

/** A real hash that matches no password, made once per cost: at start, so that the first unknown name takes no longer. */
export async function makeDecoy(cost: number): Promise<string> {
  const hash = decoys.get(cost) ?? bcrypt.hash(crypto.randomUUID(), cost);
  decoys.set(cost, hash);
  return await hash;
}
