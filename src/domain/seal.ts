import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Authenticated encryption for secrets that Suzume must read again, such as the key of an authenticator app. */
export interface Seal {
  /** `about` (for example the id of the owner) is not stored, but needed to open it. */
  close(text: string, about: string): string;
  /** Undefined if the text was changed, is about something else, or was sealed with another secret. */
  open(sealed: string, about: string): string | undefined;
}

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** The key is derived from SESSION_SECRET (HKDF); each purpose has its own. */
export function sealWith(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `suzume ${purpose}`, 32));
  return {
    close(text, about) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about));
      const closed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), closed]).toString("base64url");
    },
    open(sealed, about) {
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
