import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A push as it came to a push service. */
export interface ArrivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A browser or phone: the keys of a subscription, and what it makes of a push. By the RFCs, without a library. */
export class PushDevice {
  readonly #curve: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly endpoint: string;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#curve.generateKeys();
  }

  get keys(): { p256dh: string; auth: string } {
    return {
      p256dh: this.#curve.getPublicKey("base64url"),
      auth: this.#auth.toString("base64url"),
    };
  }

  /** The text of a push; throws if it is not for this device. */
  decrypt(push: ArrivedPush): string {
    return push.headers["content-encoding"] === "aesgcm"
      ? this.#decryptDraft(push)
      : this.#decrypt(push.body);
  }

  /** RFC 8291 and RFC 8188. */
  #decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + body.readUInt8(20));
    const own = this.#curve.getPublicKey();
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
    const secret = derive(this.#auth, this.#curve.computeSecret(sender), info, 32);
    const key = derive(salt, secret, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(salt, secret, Buffer.from("Content-Encoding: nonce\0"), 12);
    const text = open(key, nonce, body.subarray(21 + sender.length)).toString("utf8");
    // A byte 2 ends the last record.
    if (!text.endsWith("\u0002")) throw new Error("the record has no end");
    return text.slice(0, -1);
  }

  /** draft-ietf-webpush-encryption-04. */
  #decryptDraft({ headers, body }: ArrivedPush): string {
    const salt = Buffer.from(parameter(headers["encryption"], "salt"), "base64url");
    const sender = Buffer.from(parameter(headers["crypto-key"], "dh"), "base64url");
    const shared = this.#curve.computeSecret(sender);
    const secret = derive(this.#auth, shared, Buffer.from("Content-Encoding: auth\0"), 32);
    const parties = Buffer.concat(
      [this.#curve.getPublicKey(), sender].map((key) => Buffer.from([0, key.length, ...key])),
    );
    const about = (what: string) =>
      Buffer.concat([Buffer.from(`Content-Encoding: ${what}\0P-256\0`), parties]);
    const key = derive(salt, secret, about("aesgcm"), 16);
    const nonce = derive(salt, secret, about("nonce"), 12);
    const text = open(key, nonce, body);
    return text.subarray(2 + text.readUInt16BE(0)).toString("utf8");
  }
}

/** What the site says of itself to a push service (RFC 8292). Throws if the signature is not that of `publicKey`. */
export function readVapid({ headers }: ArrivedPush, publicKey: string): Record<string, unknown> {
  const { authorization = "" } = headers;
  const [, jwt = ""] = /^(?:vapid t=|WebPush )([\w.-]+)/.exec(authorization) ?? [];
  const [head = "", claims = "", signature = ""] = jwt.split(".");
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) =>
    one.toString("base64url"),
  );
  const key = createPublicKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" },
  });
  const isValid = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isValid) throw new Error("the signature is another one's");
  return JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as Record<string, unknown>;
}

function parameter(header: unknown, name: string): string {
  return new RegExp(`(?:^|[;,] *)${name}=([\\w-]+)`).exec(String(header))?.[1] ?? "";
}

function derive(salt: Buffer, secret: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  const opening = createDecipheriv("aes-128-gcm", key, nonce);
  opening.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
}
