import { createHash, randomBytes } from "node:crypto";

/** Numbers made of a digest are below this, so that JavaScript is exact about them. */
const numbersBelow = 2 ** 47;

/**
 * Identifies the thing that a form makes. The same nonce with the same `parts`, which are all that make the thing, is
 * the same form sent again: give the thing an id of this digest, so that it is made once. Without a nonce, random.
 * Parts are JSON, or the bytes of a file.
 */
export function formDigest(nonce: string | undefined, ...parts: unknown[]): Buffer {
  if (nonce === undefined) return randomBytes(32);
  const spelled = parts.map((part) =>
    Buffer.isBuffer(part) ? sha256(part).toString("hex") : part,
  );
  return sha256(JSON.stringify([nonce, ...spelled]));
}

/** The same as a positive number in decimal digits. */
export function formNumber(nonce: string | undefined, ...parts: unknown[]): string {
  return String((formDigest(nonce, ...parts).readUIntBE(0, 6) % (numbersBelow - 1)) + 1);
}

function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}
