import { createECDH, hkdfSync } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { memo } from "../memo.ts";

/** The pair of keys that identifies this site to push services (RFC 8292), in base64url. */
interface VapidKeys {
  /** Browsers and apps subscribe with it. Another key ends all subscriptions. */
  publicKey: string;
  privateKey: string;
}

/**
 * VAPID_PRIVATE_KEY, or a key derived from SESSION_SECRET: it is made once and kept with that secret, is the same
 * on all machines, and comes back with a backup. See docs/decisions/0011.
 */
export const vapidKeys = memo((config: Ctx["config"]): VapidKeys => {
  const { vapidPrivateKey, sessionSecret } = config;
  if (vapidPrivateKey !== undefined) return pairOf(Buffer.from(vapidPrivateKey, "base64url"));
  if (sessionSecret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return deriveKeys(sessionSecret);
});

/** One of four billion derivations is no key of the curve: the next number is tried. */
function deriveKeys(secret: string): VapidKeys {
  for (let nth = 0; ; nth += 1)
    try {
      return pairOf(Buffer.from(hkdfSync("sha256", secret, "", `suzume vapid ${nth}`, 32)));
    } catch (error) {
      if (nth > 3) throw error;
    }
}

/** Throws if it is no private key of P-256. */
function pairOf(privateKey: Buffer): VapidKeys {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(privateKey);
  return {
    publicKey: curve.getPublicKey().toString("base64url"),
    privateKey: privateKey.toString("base64url"),
  };
}
