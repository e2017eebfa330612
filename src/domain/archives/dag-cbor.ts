/** A link to a block: the bytes of its CID, and how it is written. */
export class Cid {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** As in addresses: "bafyrei…". */
  toString(): string {
    return `b${base32(this.bytes)}`;
  }
}

/** Max depth of maps and lists. */
const depthAtMost = 32;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * DAG-CBOR, the part of CBOR in which records of Bluesky are written: no other tags than links, no lengths that are
 * not known beforehand. Maps have no prototype. Throws RangeError or TypeError for what is damaged.
 */
export class CborReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Bytes that were read. */
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth = 0): unknown {
    const head = this.#view.getUint8(this.at);
    const [kind, info] = [head >> 5, head & 31];
    this.at += 1;
    if (kind === 7) return this.#simple(info);
    const size = this.#size(info);
    if (kind === 0) return size;
    if (kind === 1) return -1 - size;
    if (kind === 2) return this.#take(size);
    if (kind === 3) return utf8.decode(this.#take(size));
    // Each item has a byte at least.
    if (depth >= depthAtMost || size > this.#bytes.length - this.at) throw new RangeError("deep");
    if (kind === 4) return Array.from({ length: size }, () => this.value(depth + 1));
    if (kind === 5) return this.#map(size, depth + 1);
    const link = this.value(depth + 1);
    if (size !== 42 || !(link instanceof Uint8Array)) throw new TypeError("tag");
    return new Cid(link.subarray(1));
  }

  #map(size: number, depth: number): object {
    const map = Object.create(null) as Record<string, unknown>;
    for (let nth = 0; nth < size; nth += 1) {
      const key = this.value(depth);
      if (typeof key !== "string") throw new TypeError("key");
      map[key] = this.value(depth);
    }
    return map;
  }

  #simple(info: number): unknown {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info !== 27) throw new TypeError("simple value");
    this.at += 8;
    return this.#view.getFloat64(this.at - 8);
  }

  #size(info: number): number {
    if (info < 24) return info;
    const length = info > 27 ? 0 : 2 ** (info - 24);
    this.at += length;
    const start = this.at - length;
    if (length === 1) return this.#view.getUint8(start);
    if (length === 2) return this.#view.getUint16(start);
    if (length === 4) return this.#view.getUint32(start);
    if (length === 0) throw new TypeError("length");
    return Number(this.#view.getBigUint64(start));
  }

  #take(size: number): Uint8Array {
    const piece = this.#bytes.subarray(this.at, this.at + size);
    if (piece.length < size) throw new RangeError("short");
    this.at += size;
    return piece;
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += letters[(value >> (bits - 5)) & 31] ?? "";
  }
  return bits === 0 ? text : text + (letters[(value << (5 - bits)) & 31] ?? "");
}
