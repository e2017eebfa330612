import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Entry } from "./bytes.ts";
import { digested, type Header, headerBytes, writeHeader } from "./header.ts";

/** Bytes of entries that are compressed together. */
const chunkBytes = 64 * 1024;
/** Kinds of keys that the header counts; others are in the total only. */
const mostCounts = 40;

/** What the header says about the site, known before the first key is read. */
export type About = Omit<Header, "keys" | "counts" | "bytes" | "sha256">;

/**
 * Writes a backup that only this system user can read. The file has its name once it is complete and on the
 * disk. Throws if there is a file of this name.
 */
export async function writeFile(
  file: string,
  about: About,
  { secret, entries }: { secret: string | undefined; entries: AsyncIterable<Entry> },
): Promise<Header> {
  if (existsSync(file)) throw new Error(`${file} exists: choose another name`);
  const part = `${file}.part`;
  const handle = await open(part, "w", 0o600);
  try {
    // It may be left over from a backup that was interrupted.
    await handle.chmod(0o600);
    const body = await writeBody(handle, secret, entries);
    const header = { ...about, keys: body.keys, counts: body.counts, bytes: body.bytes };
    const sha256 = body.hash.update(digested(header)).digest("hex");
    await handle.write(writeHeader({ ...header, sha256 }), 0, headerBytes, 0);
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return { ...header, sha256 };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}

async function writeBody(
  handle: FileHandle,
  secret: string | undefined,
  entries: AsyncIterable<Entry>,
) {
  const hash = createHash("sha256");
  const body = { hash, bytes: 0, keys: 0, counts: {} as Record<string, number> };
  const note = (entry: Entry) => {
    body.keys += 1;
    const word = entry.key.toString().split(":")[0]?.slice(0, 20) ?? "";
    if (word in body.counts || Object.keys(body.counts).length < mostCounts)
      body.counts[word] = (body.counts[word] ?? 0) + 1;
  };
  // The place of the header.
  await handle.appendFile(Buffer.alloc(headerBytes));
  await pipeline(
    Readable.from(encode(secret, entries, note)),
    createGzip({ level: 3 }),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        body.bytes += chunk.length;
        await handle.appendFile(chunk);
      }
    },
  );
  return body;
}

/** The secret comes first, as the value of an empty key. An empty key at the end closes the list. */
async function* encode(
  secret: string | undefined,
  entries: AsyncIterable<Entry>,
  note: (entry: Entry) => void,
): AsyncGenerator<Buffer> {
  const nothing = Buffer.alloc(0);
  let waiting = recordOf({ key: nothing, expiresAt: 0, value: Buffer.from(secret ?? "") });
  let size = 0;
  for await (const entry of entries) {
    note(entry);
    const record = recordOf(entry);
    waiting.push(...record);
    size += record.reduce((sum, { length }) => sum + length, 0);
    if (size < chunkBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  waiting.push(...recordOf({ key: nothing, expiresAt: 0, value: nothing }));
  yield Buffer.concat(waiting);
}

/** Length of the key, length of the value, expiry; then key and value. */
function recordOf({ key, expiresAt, value }: Entry): Buffer[] {
  const lengths = Buffer.alloc(16);
  lengths.writeUInt32LE(key.length, 0);
  lengths.writeUInt32LE(value.length, 4);
  lengths.writeBigUInt64LE(BigInt(expiresAt), 8);
  return [lengths, key, value];
}
