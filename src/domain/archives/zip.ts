import { buffer } from "node:stream/consumers";
import { type Entry, fromFdPromise } from "yauzl";
import * as fs from "node:fs/promises";
import { Invalid } from "../errors.ts";

/** Max entries, with those that are not read. */
const entriesAtMost = 50_000;
/** Max bytes of all files that are opened, but for pictures, when they are unpacked. */
const openedBytes = 1_000_000_000;
/** Max bytes of a picture. */
const pictureBytes = 5_000_000;
/** Bytes that compressing may save of a picture, beside half of it: pictures are compressed already. */
const savedBytes = 4096;

/** An archive whose files are unpacked one by one, when they are asked for. */
export interface Zip {
  names: readonly string[];
  /**
   * Undefined if it has no such file. Throws Invalid beside `file` if it is larger than `atMost` bytes, or if all that
   * were opened are too large together.
   */
  open(name: string, atMost: number): Promise<AsyncIterable<Buffer> | undefined>;
  /** What reads a picture; undefined for one that is too large, or a bomb. */
  picture(name: string): (() => Promise<Buffer>) | undefined;
}

export function isZip({ head }: Source): boolean {
  return head.toString("latin1", 0, 4) === "PK\u0003\u0004";
}

/**
 * Reads the directory of an archive. Nothing is ever unpacked to the disk, and nothing beyond the size that the
 * directory says. Its entries may not name the same bytes or the same name twice. Throws Invalid beside `file`.
 */
export async function openZip({ fd, size }: Source): Promise<Zip> {
  const zip = await fromFdPromise(fd, { lazyEntries: true, autoClose: false }).catch(damaged);
  const tooLarge = new Invalid({ file: "import.large" });
  if (zip.entryCount > entriesAtMost) throw tooLarge;
  const entries = new Map<string, Entry>();
  let unread = size;
  try {
    for await (const entry of zip.eachEntry()) {
      unread -= entry.compressedSize;
      if (unread < 0 || entries.has(entry.fileName)) throw tooLarge;
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    damaged(error);
  }
  let room = openedBytes;
  const read = async (entry: Entry) =>
    intact(await zip.openReadStreamPromise(entry).catch(damaged));
  return {
    names: [...entries.keys()],
    async open(name, atMost) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      room -= entry.uncompressedSize;
      if (entry.uncompressedSize > atMost || room < 0) throw tooLarge;
      return await read(entry);
    },
    picture(name) {
      const entry = entries.get(name);
      const { uncompressedSize: bytes = 0, compressedSize = 0 } = entry ?? {};
      const isBomb = bytes > 2 * compressedSize + savedBytes;
      if (entry === undefined || bytes === 0 || bytes > pictureBytes || isBomb) return undefined;
      return async () => await buffer(await read(entry));
    },
  };
}

/** A file alone, as if it were in an archive. */
export function zipOf(name: string, file: Source): Zip {
  const open = (one: string, atMost: number) => {
    if (one === name && file.size > atMost) throw new Invalid({ file: "import.large" });
    return Promise.resolve(one === name ? intact(file.pieces()) : undefined);
  };
  return { names: [name], open, picture: () => undefined };
}

/** The pieces of a file. Throws Invalid beside `file` if it is cut off, or not what the directory says. */
async function* intact(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of stream) yield piece as Buffer;
  } catch (error) {
    damaged(error);
  }
}

function damaged(error: unknown): never {
  throw error instanceof Invalid ? error : new Invalid({ file: "import.damaged" });
}

/** Bytes by which a file tells what it is. */
const headBytes = 64 * 1024;

/** A file that was uploaded. It is on the disk, and never in memory as a whole. */
export interface Source {
  size: number;
  /** Its first bytes. */
  head: Buffer;
  fd: number;
  pieces(): AsyncIterable<Buffer>;
}

/** Opens a file while `work` runs. Throws Invalid beside `file` if it is gone, as its client is. */
export async function withSource<Result>(
  path: string,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  const handle = await fs.open(path).catch(gone);
  try {
    const { size } = await handle.stat();
    const { buffer: start, bytesRead } = await handle.read(
      Buffer.alloc(headBytes),
      0,
      headBytes,
      0,
    );
    const pieces = () => handle.createReadStream({ start: 0, autoClose: false });
    return await work({ size, head: start.subarray(0, bytesRead), fd: handle.fd, pieces });
  } finally {
    await handle.close();
  }
}

function gone(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? new Invalid({ file: "file.malformed" }) : error;
}
