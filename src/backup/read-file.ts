import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { Bytes, type Cursor, type Entry } from "./bytes.ts";
import { digested, type Header, headerBytes, readHeader } from "./header.ts";

/** A backup that is whole. */
export type BackupFile = Awaited<ReturnType<typeof readFile>>;

/** Reads all of the file. Throws, with the name of the file, if a byte of it is missing or wrong. */
export async function readFile(file: string) {
  try {
    const header = await readStart(file);
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of bodyOf(file)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (bytes < header.bytes) throw new Error("is cut: a part of it is missing");
    if (hash.update(digested(header)).digest("hex") !== header.sha256)
      throw new Error("is damaged: its checksum is wrong");
    return { header, secret: await secretOf(file), entries: () => entriesOf(file) };
  } catch (error) {
    throw new Error(`${file} ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function readStart(file: string): Promise<Header> {
  const handle = await open(file, "r").catch((error: Error) => {
    throw new Error(`cannot be read (${error.message})`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    if (bytesRead < headerBytes) throw new Error("is no backup of Suzume, or is cut");
    return readHeader(buffer);
  } finally {
    await handle.close();
  }
}

function bodyOf(file: string) {
  return createReadStream(file, { start: headerBytes });
}

/** The secret that signs session cookies; undefined if it was not known. */
async function secretOf(file: string): Promise<string | undefined> {
  for await (const { value } of recordsOf(file)) return value.toString() || undefined;
  return undefined;
}

async function* entriesOf(file: string): AsyncGenerator<Entry> {
  const records = recordsOf(file);
  // The secret.
  await records.next();
  yield* records;
}

async function* recordsOf(file: string): AsyncGenerator<Entry> {
  const unzipped = pipeline(bodyOf(file), createGunzip(), () => {});
  const bytes = new Bytes(unzipped);
  try {
    for (let isFirst = true; ; isFirst = false) {
      const entry = await bytes.parse(readRecord);
      if (entry.key.length === 0 && !isFirst) return;
      yield entry;
    }
  } finally {
    unzipped.destroy();
  }
}

function readRecord(cursor: Cursor): Entry {
  const lengths = cursor.take(16);
  const key = cursor.take(lengths.readUInt32LE(0));
  const value = cursor.take(lengths.readUInt32LE(4));
  return { key, value, expiresAt: Number(lengths.readBigUInt64LE(8)) };
}
