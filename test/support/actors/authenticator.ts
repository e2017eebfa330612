import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";

/** What an authenticator or a browser may do differently from a good one. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  /** Without a check of who holds it. */
  unverified?: boolean;
  /** May be copied to other devices. */
  synced?: boolean;
  counter?: number;
  userHandle?: string | undefined;
}

/** A passkey in software, with the browser around it. It keeps one credential and counts its signatures. */
export class Authenticator {
  readonly origin: string;
  readonly id = randomBytes(32);
  counter = 0;
  userHandle = "";
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(origin: string) {
    this.origin = origin;
    this.#keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    deviation: Deviation = {},
  ): RegistrationResponseJSON {
    this.userHandle = options.user.id;
    const rpId = options.rp.id ?? "";
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      this.#coseKey(),
    ]);
    const data = Buffer.concat([this.#head(rpId, deviation, 0x40), credential]);
    const clientData = this.#clientData("webauthn.create", options.challenge, deviation);
    // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return {
      ...this.#common(),
      response: {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    deviation: Deviation = {},
  ): AuthenticationResponseJSON {
    this.counter = deviation.counter ?? this.counter + 1;
    const data = this.#head(options.rpId ?? "", deviation);
    const clientData = this.#clientData("webauthn.get", options.challenge, deviation);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return {
      ...this.#common(),
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
        userHandle: "userHandle" in deviation ? deviation.userHandle : this.userHandle,
      },
    };
  }

  #common() {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const;
  }

  #clientData(type: string, challenge: string, { origin = this.origin }: Deviation): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  /** The beginning of the authenticator data: site, flags, counter. */
  #head(rpId: string, deviation: Deviation, flags = 0): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const verified = deviation.unverified === true ? 0 : 0x04;
    // Backup eligible, and backed up.
    const synced = deviation.synced === true ? 0x18 : 0;
    const all = 0x01 | verified | synced | flags;
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.from([all]), counter]);
  }

  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    return Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
  }
}

function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}
