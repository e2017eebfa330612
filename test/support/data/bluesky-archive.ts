import { createHash } from "node:crypto";

// Writes repositories as Bluesky gives them to its users: CAR files of version 1 with DAG-CBOR blocks, and records in a
// Merkle search tree. See ipld.io/specs and atproto.com/specs/repository.

/** A CID of version 1; its codec is DAG-CBOR, or "raw" for a blob. */
export class Link {
  readonly bytes: Buffer;

  constructor(content: Buffer, codec = 0x71) {
    const digest = createHash("sha256").update(content).digest();
    this.bytes = Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), digest]);
  }

  toString(): string {
    let [text, bits, value] = ["b", 0, 0];
    for (const byte of [...this.bytes, 0]) {
      value = ((value << 8) | byte) & 0xffff;
      for (bits += 8; bits >= 5 && text.length < 59; bits -= 5)
        text += "abcdefghijklmnopqrstuvwxyz234567"[(value >> (bits - 5)) & 31];
    }
    return text;
  }
}

export function rawLink(content: Buffer): Link {
  return new Link(content, 0x55);
}

function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size]);
  // As few bytes as the size needs.
  const power = [0, 1, 2, 3].find((one) => size < 256 ** (2 ** one)) ?? 3;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(size));
  return Buffer.concat([Buffer.from([(kind << 5) | (24 + power)]), bytes.subarray(8 - 2 ** power)]);
}

/** A value that is encoded already, as its writer liked. */
export class Encoded {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

export function encode(value: unknown): Buffer {
  if (value instanceof Encoded) return value.bytes;
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === "boolean") return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === "number") return head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Link) {
    const bytes = Buffer.concat([Buffer.from([0]), value.bytes]);
    return Buffer.concat([Buffer.from([0xd8, 42]), encode(bytes)]);
  }
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as object).filter(([, one]) => one !== undefined);
  const sorted = entries.toSorted(
    ([one], [other]) => one.length - other.length || (one < other ? -1 : 1),
  );
  return Buffer.concat([
    head(5, sorted.length),
    ...sorted.flatMap(([key, one]) => [encode(key), encode(one)]),
  ]);
}

export function varint(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Half of the leading zero bits of the digest of a key. */
function layerOf(key: string): number {
  const digest = createHash("sha256").update(key).digest("hex");
  const bits = [...digest].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0"));
  return Math.floor(((bits.join("").indexOf("1") + 256) % 256) / 2);
}

export const did = "did:plc:owner";

/** A repository with these records, by their paths. */
export function carFile(records: Record<string, unknown>): Buffer {
  // Records that are alike have one block.
  const blocks = new Map<string, Buffer>();
  const add = (value: unknown): Link => {
    const content = encode(value);
    const link = new Link(content);
    blocks.set(link.toString(), carBlock(content));
    return link;
  };
  const node = (keys: string[], layer: number): Link | null => {
    if (keys.length === 0) return null;
    const here = keys.filter((key) => layerOf(key) >= layer);
    if (here.length === 0) return add({ l: node(keys, layer - 1), e: [] });
    const between = (from: number, to: number) => node(keys.slice(from, to), layer - 1);
    let before = "";
    const entries = here.map((key, nth) => {
      let shared = 0;
      while (key[shared] !== undefined && key[shared] === before[shared]) shared += 1;
      before = key;
      const next = here[nth + 1];
      const end = next === undefined ? keys.length : keys.indexOf(next);
      return {
        p: shared,
        k: Buffer.from(key.slice(shared)),
        v: add(records[key]),
        t: between(keys.indexOf(key) + 1, end),
      };
    });
    return add({ l: between(0, keys.indexOf(here[0] ?? "")), e: entries });
  };
  const keys = Object.keys(records).toSorted();
  const data = node(keys, Math.max(0, ...keys.map(layerOf))) ?? add({ l: null, e: [] });
  const root = add({ did, version: 3, data, rev: "3kabc", prev: null, sig: Buffer.alloc(64) });
  const header = encode({ roots: [root], version: 1 });
  return Buffer.concat([varint(header.length), header, ...blocks.values()]);
}

/** A block of a file, with its length and its CID. */
export function carBlock(content: Buffer): Buffer {
  const { bytes } = new Link(content);
  return Buffer.concat([varint(bytes.length + content.length), bytes, content]);
}

export const postPath = (name: string) => `app.bsky.feed.post/${name}`;
export const postUri = (name: string) => `at://${did}/${postPath(name)}`;

/** A post; `facets` from pieces of its text to what they lead to. */
export function post(
  text: string,
  createdAt: string,
  more: { facets?: Record<string, object>; replyTo?: string; [key: string]: unknown } = {},
) {
  const { facets, replyTo, ...rest } = more;
  const parent = { uri: replyTo ?? "", cid: "bafyreia" };
  return {
    $type: "app.bsky.feed.post",
    text,
    createdAt,
    langs: ["en"],
    reply: replyTo === undefined ? undefined : { root: parent, parent },
    facets: Object.entries(facets ?? {}).map(([piece, feature]) => {
      const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(piece)));
      return {
        index: { byteStart, byteEnd: byteStart + Buffer.byteLength(piece) },
        features: [feature],
      };
    }),
    ...rest,
  };
}
