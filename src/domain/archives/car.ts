import { createHash } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { fromUint8Array } from "@atcute/car";
import { decode, fromBytes, isBytes } from "@atcute/cbor";
import { type CidLink, isCidLink, toCidLink } from "@atcute/cid";
import { Invalid } from "../errors.ts";

// A CAR file of version 1: a header, then blocks, each named by a digest of its bytes (CID). The repository of an
// account is a tree of such blocks (a Merkle search tree) whose leaves are its records.

/** Max blocks of a file: records, and the tree above them. */
const blocksAtMost = 600_000;
/** Max bytes of a record, or of a node of the tree. */
const blockBytes = 1_000_000;
/** Blocks that are read before others have their turn. */
const turn = 1000;
/** Max depth of the tree: real ones have less than ten levels. */
const depthAtMost = 64;
/** Max characters of a name of a record: real ones have less than a hundred. */
const pathLength = 1024;

export function isCar(start: Buffer): boolean {
  return start.toString("latin1", 0, 100).includes("\u0065roots");
}

/** The blocks of a file by their CIDs, and the first root. */
async function readBlocks(file: Uint8Array) {
  const car = fromUint8Array(file);
  const blocks = new Map<string, Uint8Array>();
  for (const { cid, bytes } of car) {
    const digest = createHash("sha256").update(bytes).digest();
    if (!digest.equals(cid.digest.contents)) throw new TypeError("digest");
    blocks.set(toCidLink(cid).$link, bytes);
    if (blocks.size > blocksAtMost) throw new Invalid({ file: "import.large" });
    if (blocks.size % turn === 0) await othersTurn();
  }
  return { root: car.roots[0], blocks };
}

/** A record of a repository, and its name in it: "app.bsky.feed.post/3kabc". No value: it cannot be read. */
interface CarRecord {
  path: string;
  value?: unknown;
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
  const blockOf = (link: unknown): Uint8Array => {
    const data = isCidLink(link) ? blocks.get(link.$link) : undefined;
    if (data === undefined || data.length > blockBytes) throw new RangeError("block");
    return data;
  };
  function* walk(link: unknown, depth: number): Generator<CarRecord> {
    const node = decode(blockOf(link)) as TreeNode;
    const { $link } = link as CidLink;
    // A tree that leads to itself, or to a part twice, is none.
    if (depth > depthAtMost || seen.has($link)) throw new TypeError("tree");
    seen.add($link);
    if (node.l !== null && node.l !== undefined) yield* walk(node.l, depth + 1);
    let path = "";
    for (const { p: shared, k: rest, v: record, t: right } of node.e) {
      if (!isBytes(rest)) throw new TypeError("key");
      path = path.slice(0, Number(shared)) + Buffer.from(fromBytes(rest)).toString("latin1");
      if (path.length > pathLength) throw new RangeError("key");
      yield { path, value: decoded(blockOf(record)) };
      if (right !== null && right !== undefined) yield* walk(right, depth + 1);
    }
  }
  const commit = decode(blockOf(root)) as { did?: unknown; data?: unknown };
  if (typeof commit.did !== "string") throw new TypeError("commit");
  return { did: commit.did, records: walk(commit.data, 0) };
}

/** Undefined for what is not written as it should be. */
function decoded(data: Uint8Array): unknown {
  try {
    return decode(data);
  } catch {
    return undefined;
  }
}
