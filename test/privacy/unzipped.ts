import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";

const open = promisify(fromBuffer) as unknown as (
  bytes: Buffer,
  options: { lazyEntries: boolean; autoClose: boolean },
) => Promise<ZipFile>;

/** All names and contents of an archive. */
export async function unzipped(bytes: Buffer): Promise<string> {
  const zip = await open(bytes, { lazyEntries: true, autoClose: false });
  const read = promisify(zip.openReadStream.bind(zip)) as unknown as (
    entry: Entry,
  ) => Promise<NodeJS.ReadableStream>;
  const parts: string[] = [];
  for (let left = zip.entryCount; left > 0; left -= 1) {
    const comes = once(zip, "entry") as Promise<[Entry]>;
    zip.readEntry();
    const [entry] = await comes;
    parts.push(entry.fileName, (await buffer(await read(entry))).toString("latin1"));
  }
  return parts.join("\n");
}
