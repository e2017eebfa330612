import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { Invalid } from "../errors.ts";
import { pictureFile } from "./export-rows.ts";

/** The export in it; of version 1, the second. */
const exportFiles = new Set(["export.jsonl", "export.json"]);
/** Max bytes of the export when it is unpacked. */
const lineBytes = 20 * 1024 * 1024;
/** Max bytes of a picture, and max pictures. */
const pictureBytes = 5_000_000;
const picturesAtMost = 300;
/** Max entries, with those that are not read. */
const entriesAtMost = 1000;

/** An archive as exportArchive makes it. */
interface Archive {
  lines: Buffer;
  /** By their names in the archive. */
  pictures: Map<string, Buffer>;
}

export function isArchive(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(0, 4)).toString("latin1") === "PK\u0003\u0004";
}

/**
 * Unpacks what an import uses. Nothing larger than its bound is unpacked, whatever the archive says about sizes.
 * Throws Invalid beside `file`.
 */
export async function readArchive(file: Buffer): Promise<Archive> {
  try {
    return await unpack(await open(file), file.length);
  } catch (error) {
    throw error instanceof Invalid ? error : new Invalid({ file: "import.foreign" });
  }
}

/** Entries may name the same bytes: together they must not be larger than the archive, `size`. */
async function unpack(zip: ZipFile, size: number): Promise<Archive> {
  const tooLarge = new Invalid({ file: "import.large" });
  if (zip.entryCount > entriesAtMost) throw tooLarge;
  let lines: Buffer | undefined;
  let unread = size;
  const pictures = new Map<string, Buffer>();
  for await (const entry of entriesOf(zip)) {
    const { fileName: name, uncompressedSize: bytes } = entry;
    const isPicture = name.startsWith(pictureFile("")) && name.endsWith(".webp");
    if (exportFiles.has(name)) {
      if (lines !== undefined || bytes > lineBytes) throw tooLarge;
      lines = await contentOf(zip, entry);
    } else if (isPicture && bytes > 0 && bytes <= pictureBytes) {
      // A picture that is compressed once more is not from an export: a bomb would cost much time.
      if (entry.compressionMethod !== 0) continue;
      unread -= bytes;
      if (unread < 0 || pictures.size >= picturesAtMost) throw tooLarge;
      pictures.set(name, await contentOf(zip, entry));
    }
  }
  if (lines === undefined) throw new Invalid({ file: "import.foreign" });
  return { lines, pictures };
}

/** Errors of yauzl: the archive is damaged, or an entry is larger than it says. */
async function open(file: Buffer): Promise<ZipFile> {
  return await new Promise((resolve, reject) => {
    fromBuffer(file, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error) reject(error);
      else resolve(zip);
    });
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.once("error", reject);
      zip.once("end", () => resolve(undefined));
      zip.once("entry", resolve);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (entry === undefined) return;
    yield entry;
  }
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => {
      if (error) reject(error);
      else resolve(opened);
    });
  });
  return await buffer(stream);
}
