import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { parseUserId, type UserId } from "./ids.ts";

/** Unguessable text, in characters that any header or address may contain. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString("base64url");
}

/** Stored instead of a secret. Secrets are long and random, so the digest needs no salt and no slow hash. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** Names a secret on a page, which must not contain it. */
export function handleOf(secret: string): string {
  return digestOf(secret).slice(0, 16);
}

/** Compares in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A secret that begins with the id of its user, under which its digest is stored. */
export function newUserToken(user: UserId): { token: string; digest: string } {
  const token = `${user}.${newSecret()}`;
  return { token, digest: digestOf(token) };
}

/** Its user and its digest, by which it is stored. Undefined for text that cannot be a token of a user. */
export function locateUserToken(token: string) {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(token) ?? [];
  const user = parseUserId(holder);
  return user && { user, digest: digestOf(token) };
}

/** Authenticated encryption for secrets that Suzume must read again, such as the key of an authenticator app. */
export type Seal = ReturnType<typeof sealWith>;

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

export function signWith(secret: string, purpose: string, text: string): string {
  return createHmac("sha256", keyFor(secret, purpose)).update(text).digest("base64url");
}

/** The key is derived from SESSION_SECRET (HKDF); each purpose has its own. */
function keyFor(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `suzume ${purpose}`, 32));
}

export function sealWith(secret: string, purpose: string) {
  const key = keyFor(secret, purpose);
  return {
    /** `about` (for example the id of the owner) is not stored, but needed to open it. */
    close(text: string, about: string): string {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about));
      const closed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), closed]).toString("base64url");
    },
    /** Undefined if the text was changed, is about something else, or was sealed with another secret. */
    open(sealed: string, about: string): string | undefined {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const nonce = bytes.subarray(0, nonceBytes);
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(about))
        .setAuthTag(tag);
      try {
        const text = opening.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([text, opening.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

/** Numbers made of a digest are below this, so that JavaScript is exact about them. */
const numbersBelow = 2 ** 47;

/**
 * Identifies the thing that a form makes. The same nonce with the same `parts`, which are all that make the thing, is
 * the same form sent again: give the thing an id of this digest, so that it is made once. Without a nonce, random.
 * Parts are JSON, or the bytes of a file.
 */
export function formDigest(nonce: string | undefined, ...parts: unknown[]): Buffer {
  if (nonce === undefined) return randomBytes(32);
  const spelled = parts.map((part) => (Buffer.isBuffer(part) ? hash("sha256", part, "hex") : part));
  return hash("sha256", JSON.stringify([nonce, ...spelled]), "buffer");
}

/** The same as a positive number in decimal digits. */
export function formNumber(nonce: string | undefined, ...parts: unknown[]): string {
  return String((formDigest(nonce, ...parts).readUIntBE(0, 6) % (numbersBelow - 1)) + 1);
}
