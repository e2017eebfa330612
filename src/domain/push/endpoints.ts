import { createECDH, ECDH, hkdfSync } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { Ctx } from "../../context.ts";
import { addNetwork } from "../block-match.ts";
import { Invalid } from "../errors.ts";
import { memo } from "../memo.ts";

/** Where a device receives its pushes, and the keys with which they are encrypted for it (RFC 8291). */
export interface PushEndpoint {
  /** Address at a push service. */
  endpoint: string;
  /** Public key of the device, in base64url. */
  p256dh: string;
  /** Secret that the device and this site share, in base64url. */
  auth: string;
}

/** Max characters of an address. */
const addressLimit = 2000;
const authBytes = 16;

/** Networks that are no part of the public internet, and ways into these. */
const privateNetworks = { ipv4: new BlockList(), ipv6: new BlockList() };
// Of version 6, all but 2000::/3, and in there documentation, Teredo and 6to4.
const spelledNetworks = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
  ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20`;
for (const network of spelledNetworks.split(/\s+/))
  addNetwork(privateNetworks[network.includes(":") ? "ipv6" : "ipv4"], network);

/** Whether an IP address may receive pushes: only public ones, so that no push reaches the host's own network. */
export function isPublicAddress({ pushToLoopback }: PushConfig, address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  if (pushToLoopback && address === "127.0.0.1") return true;
  const family = version === 6 ? "ipv6" : "ipv4";
  return !privateNetworks[family].check(address, family);
}

type PushConfig = Pick<Ctx["config"], "pushToLoopback">;

/** The address as a URL; undefined if no push may go there, whatever its name may resolve to. */
export function parseEndpoint(config: PushConfig, text: string): URL | undefined {
  if (text.length > addressLimit || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0 && !isPublicAddress(config, host)) return undefined;
  const isTest = config.pushToLoopback && host === "127.0.0.1";
  const isSafe = url.protocol === "https:" || (isTest && url.protocol === "http:");
  return isSafe && url.username === "" && url.password === "" ? url : undefined;
}

/** Checks untrusted input; keys in any spelling of base64. Throws Invalid beside `endpoint`, `p256dh` or `auth`. */
export function checkEndpoint(config: PushConfig, input: PushEndpoint): PushEndpoint {
  const endpoint = parseEndpoint(config, input.endpoint);
  // What other names resolve to is looked at when a push is sent.
  const localName = /(^|\.)(localhost|local|internal)\.?$/;
  if (endpoint === undefined || localName.test(endpoint.hostname))
    throw new Invalid({ endpoint: "push.endpoint" });
  const [p256dh, auth] = [input.p256dh, input.auth].map((key) => Buffer.from(key, "base64"));
  if (p256dh === undefined || !isPublicKey(p256dh)) throw new Invalid({ p256dh: "push.key" });
  if (auth?.length !== authBytes) throw new Invalid({ auth: "push.key" });
  return {
    endpoint: endpoint.href,
    p256dh: p256dh.toString("base64url"),
    auth: auth.toString("base64url"),
  };
}

function isPublicKey(bytes: Buffer): boolean {
  if (bytes.length !== 65) return false;
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return true;
  } catch {
    return false;
  }
}

/**
 * The pair of keys that identifies this site to push services (RFC 8292), in base64url: by VAPID_PRIVATE_KEY, or derived
 * from SESSION_SECRET, so that it is the same on all machines and comes back with a backup: see docs/decisions/0011.
 * Another public key ends all subscriptions.
 */
export const vapidKeys = memo((config: Ctx["config"]) => {
  const { vapidPrivateKey, sessionSecret } = config;
  if (vapidPrivateKey !== undefined) return pairOf(Buffer.from(vapidPrivateKey, "base64url"));
  if (sessionSecret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return deriveKeys(sessionSecret);
});

/** One of four billion derivations is no key of the curve: the next number is tried. */
function deriveKeys(secret: string) {
  for (let nth = 0; ; nth += 1)
    try {
      return pairOf(Buffer.from(hkdfSync("sha256", secret, "", `suzume vapid ${nth}`, 32)));
    } catch (error) {
      if (nth > 3) throw error;
    }
}

/** Throws if it is no private key of P-256. */
function pairOf(privateKey: Buffer) {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(privateKey);
  return {
    publicKey: curve.getPublicKey().toString("base64url"),
    privateKey: privateKey.toString("base64url"),
  };
}
