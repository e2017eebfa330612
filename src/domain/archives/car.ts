import { createHash } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { Invalid } from "../errors.ts";
import { CborReader, Cid } from "./dag-cbor.ts";

// A CAR file of version 1: a header, then blocks, each with its length before it and its CID in front. The repository
// of an account is a tree of such blocks (a Merkle search tree) whose leaves are its records.

/** Bytes of a CID of version 1: version, codec, kind and length of its digest, and 32 bytes of SHA-256. */
const cidBytes = 36;
/** Max blocks of a file: records, and the tree above them. */
const blocksAtMost = 600_000;
/** Max bytes of a record, or of a node of the tree. */
const blockBytes = 1_000_000;
/** Blocks that are read before others have their turn. */
const turn = 1000;
/** Max depth of the tree: real ones have less than ten levels. */
const depthAtMost = 64;

export function isCar(start: Buffer): boolean {
  return start.toString("latin1", 0, 100).includes("\u0065roots");
}

/** The blocks of a file by their CIDs, and the first root. Throws RangeError or TypeError if it is damaged. */
async function readBlocks(file: Uint8Array) {
  const blocks = new Map<string, Uint8Array>();
  let at = 0;
  const next = (): Uint8Array => {
    let [length, shift] = [0, 0];
    for (let byte = 0x80; byte >= 0x80; shift += 7) {
      byte = file[at] ?? 0;
      if (shift > 28 || at >= file.length) throw new RangeError("length");
      length += (byte & 0x7f) * 2 ** shift;
      at += 1;
    }
    const piece = file.subarray(at, at + length);
    if (length === 0 || piece.length < length) throw new RangeError("short");
    at += length;
    return piece;
  };
  const header = new CborReader(next()).value() as { version?: unknown; roots?: unknown };
  const [root] = Array.isArray(header.roots) ? (header.roots as unknown[]) : [];
  if (header.version !== 1 || !(root instanceof Cid)) throw new TypeError("header");
  while (at < file.length) {
    const block = next();
    const [cid, data] = [block.subarray(0, cidBytes), block.subarray(cidBytes)];
    const digest = createHash("sha256").update(data).digest();
    if (!digest.equals(cid.subarray(4))) throw new TypeError("digest");
    blocks.set(new Cid(cid).toString(), data);
    if (blocks.size > blocksAtMost) throw new Invalid({ file: "import.large" });
    if (blocks.size % turn === 0) await othersTurn();
  }
  return { root: root.toString(), blocks };
}

/** A record of a repository, and its name in it: "app.bsky.feed.post/3kabc". */
export interface CarRecord {
  path: string;
  value: unknown;
}

interface TreeNode {
  l: unknown;
  e: { p: unknown; k: unknown; v: unknown; t: unknown }[];
}

/**
 * The records of a repository, one by one, and whose it is. Throws RangeError or TypeError if the file is damaged, or
 * a block of the tree is missing, as in a file that was cut off.
 */
export async function readRepository(file: Uint8Array) {
  const { root, blocks } = await readBlocks(file);
  const seen = new Set<string>();
  const read = (cid: unknown): unknown => {
    const data = cid instanceof Cid ? blocks.get(cid.toString()) : undefined;
    if (data === undefined || data.length > blockBytes) throw new RangeError("block");
    return new CborReader(data).value();
  };
  function* walk(cid: unknown, depth: number): Generator<CarRecord> {
    // A tree that leads to itself, or to a part twice, is none.
    if (depth > depthAtMost || seen.has(String(cid))) throw new TypeError("tree");
    seen.add(String(cid));
    const node = read(cid) as TreeNode;
    if (node.l !== null && node.l !== undefined) yield* walk(node.l, depth + 1);
    let key = Buffer.alloc(0);
    for (const { p: shared, k: rest, v: record, t: right } of node.e) {
      if (!(rest instanceof Uint8Array)) throw new TypeError("key");
      key = Buffer.concat([key.subarray(0, Number(shared)), rest]);
      if (key.length > 1024) throw new RangeError("key");
      yield { path: key.toString(), value: read(record) };
      if (right !== null && right !== undefined) yield* walk(right, depth + 1);
    }
  }
  const commit = new CborReader(blocks.get(root) ?? new Uint8Array()).value() as {
    did?: unknown;
    data?: unknown;
  };
  if (typeof commit.did !== "string") throw new TypeError("commit");
  return { did: commit.did, records: walk(commit.data, 0) };
}
