import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What nobody can guess, in characters that any header or address may have. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString("base64url");
}

/** What is stored in the place of a secret: it is long and made by chance, so this needs no salt and no time. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Takes as long wherever two texts begin to differ. */
export function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
