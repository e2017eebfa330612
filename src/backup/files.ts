import { buffer } from "node:stream/consumers";
import type { Ctx } from "../context.ts";
import type { Entry } from "./bytes.ts";

/** Before the name of a file in place of a key; no key of Suzume begins with it. */
const prefix = "files:";

/** The files that this machine keeps; a bucket has its own backups. To be read after the keys that name them. */
export async function* storedFiles({ storage, config }: Ctx): AsyncGenerator<Entry> {
  if (storage === undefined || config.bucket !== undefined) return;
  for await (const { name } of storage.list()) {
    const value = await bytesOf(storage, name);
    if (value !== undefined) yield { key: Buffer.from(prefix + name), expiresAt: 0, value };
  }
}

/** Undefined for a file that is gone, also if it goes while it is read. */
async function bytesOf(
  storage: NonNullable<Ctx["storage"]>,
  name: string,
): Promise<Buffer | undefined> {
  try {
    const file = await storage.find(name);
    return file && (await buffer(await file.read()));
  } catch (error) {
    if ((await storage.find(name)) === undefined) return undefined;
    throw error;
  }
}

/** Writes an entry that is a file into the storage, if there is one. False for entries of Redis. */
export async function restoreFile({ storage }: Ctx, { key, value }: Entry): Promise<boolean> {
  const name = key.toString();
  if (!name.startsWith(prefix)) return false;
  await storage?.put(name.slice(prefix.length), value, "image/webp");
  return true;
}
