import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Unguessable text, in characters that any header or address may contain. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString("base64url");
}

/** Stored instead of a secret. Secrets are long and random, so the digest needs no salt and no slow hash. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Compares in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
