import { type FileHandle, open } from "node:fs/promises";
import { Invalid } from "../errors.ts";

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
  const handle = await open(path).catch(gone);
  try {
    return await work(await sourceOf(handle));
  } finally {
    await handle.close();
  }
}

async function sourceOf(handle: FileHandle): Promise<Source> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return {
    size,
    head: buffer.subarray(0, bytesRead),
    fd: handle.fd,
    pieces: () => handle.createReadStream({ start: 0, autoClose: false }),
  };
}

function gone(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? new Invalid({ file: "file.malformed" }) : error;
}
