import { hash } from "node:crypto";
import { fromUint8Array } from "@atcute/car";
import { decode, fromBytes, isBytes } from "@atcute/cbor";
import { type CidLink, isCidLink, toCidLink } from "@atcute/cid";
import { Invalid } from "../errors.ts";
import { requireBounded } from "./cbor-size.ts";
import { Turns } from "./turns.ts";

// A CAR file of version 1: a header, then blocks, each named by a digest of its bytes (CID). The repository of an
// account is a tree of such blocks (a Merkle search tree) whose leaves are its records.

/** Max blocks of a file: records, and the tree above them. */
const blocksAtMost = 600_000;
/** Max bytes of a record, or of a node of the tree. */
const blockBytes = 1_000_000;
/** Max values of such a block: real ones have some hundred. */
const valuesAtMost = 100_000;
/** Max depth of the tree: real ones have less than ten levels. */
const depthAtMost = 64;
/** Max characters of a name of a record: real ones have less than a hundred. */
const pathLength = 1024;

export function isCar(start: Buffer): boolean {
  return start.toString("latin1", 0, 100).includes("\u0065roots");
}

/** The blocks of a file by their CIDs, and the first root. */
async function readBlocks(file: Uint8Array) {
  // The length of the header is before it, in seven bits a byte. A kB is room for twenty roots.
  const [low = 0, high = 0] = file;
  if (low >= 0x80 && high >= 8) throw new RangeError("header");
  const car = fromUint8Array(file);
  const blocks = new Map<string, Uint8Array>();
  const turns = new Turns();
  let count = 0;
  for (const { cid, bytes } of car) {
    count += 1;
    if (count > blocksAtMost) throw new Invalid({ file: "import.large" });
    if (bytes.length > blockBytes) throw new RangeError("block");
    if (!hash("sha256", bytes, "buffer").equals(cid.digest.contents)) throw new TypeError("digest");
    blocks.set(toCidLink(cid).$link, bytes);
    await turns.take(bytes.length);
  }
  return { root: car.roots[0], blocks };
}

/** A record of a repository, and its name in it: "app.bsky.feed.post/3kabc". */
interface CarRecord {
  path: string;
  /** Decodes it. Undefined if it cannot be read. Throws Invalid if more is decoded than the file can have. */
  value(): unknown;
}

interface TreeNode {
  l: unknown;
  e: { p: unknown; k: unknown; v: unknown; t: unknown }[];
}

/**
 * The records of a repository, one by one, and whose it is. Throws if the file is damaged, or a block of the tree is
 * missing, as in a file that was cut off.
 */
export async function readRepository(file: Uint8Array) {
  const { root, blocks } = await readBlocks(file);
  const seen = new Set<string>();
  const turns = new Turns();
  let decodedBytes = 0;
  const blockOf = (link: unknown): Uint8Array => {
    const block = isCidLink(link) ? blocks.get(link.$link) : undefined;
    if (block === undefined) throw new RangeError("block");
    return block;
  };
  const decoded = (block: Uint8Array): unknown => {
    decodedBytes += block.length;
    // Some records may be alike, and then are one block.
    if (decodedBytes > 2 * file.length) throw new Invalid({ file: "import.large" });
    requireBounded(block, valuesAtMost);
    return decode(block);
  };
  const valueOf = (block: Uint8Array): unknown => {
    try {
      return decoded(block);
    } catch (error) {
      if (error instanceof Invalid) throw error;
      return undefined;
    }
  };
  async function* walk(link: unknown, depth: number): AsyncGenerator<CarRecord> {
    const block = blockOf(link);
    const { $link } = link as CidLink;
    // A tree that leads to itself, or to a part twice, is none.
    if (depth > depthAtMost || seen.has($link)) throw new TypeError("tree");
    seen.add($link);
    await turns.take(block.length);
    const node = decoded(block) as TreeNode;
    if (node.l !== null && node.l !== undefined) yield* walk(node.l, depth + 1);
    let path = "";
    for (const { p: shared, k: rest, v: record, t: right } of node.e) {
      if (!isBytes(rest)) throw new TypeError("key");
      path = path.slice(0, Number(shared)) + Buffer.from(fromBytes(rest)).toString("latin1");
      if (path.length > pathLength) throw new RangeError("key");
      const data = blockOf(record);
      await turns.take(data.length);
      yield { path, value: () => valueOf(data) };
      if (right !== null && right !== undefined) yield* walk(right, depth + 1);
    }
  }
  const commit = decoded(blockOf(root)) as { did?: unknown; data?: unknown };
  if (typeof commit.did !== "string") throw new TypeError("commit");
  return { did: commit.did, records: walk(commit.data, 0) };
}
