import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { parseUserId, type UserId } from "./ids.ts";

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

/** Where the stored part of a token is found. */
export interface TokenLocation {
  user: UserId;
  /** Digest of the token: reading the database is not enough to use it. */
  digest: string;
}

/** A secret that begins with the id of its user, under which its digest is stored. */
export function newUserToken(user: UserId): { token: string; digest: string } {
  const token = `${user}.${newSecret()}`;
  return { token, digest: digestOf(token) };
}

/** Undefined for text that cannot be a token of a user. */
export function locateUserToken(token: string): TokenLocation | undefined {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(token) ?? [];
  const user = parseUserId(holder);
  return user && { user, digest: digestOf(token) };
}
