import { execFile } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Lab } from "../lab/lab.ts";

const run = promisify(execFile);

export interface SmallDisk {
  /** A folder on it. */
  folder: string;
  /** To the last byte. */
  fill(): void;
  /** Takes away what filled it. */
  free(): void;
}

/** A disk in memory that is gone with the lab; undefined where this process may not mount one. */
export async function smallDisk(lab: Lab, megabytes: number): Promise<SmallDisk | undefined> {
  const folder = join(lab.folder, "disk");
  mkdirSync(folder);
  const args = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "suzume-drill", folder];
  const mounted = await run("mount", args).catch(() => undefined);
  if (mounted === undefined) return undefined;
  // Lazily: Redis may still be writing.
  lab.onClose(() => run("umount", ["--lazy", folder]));
  const ballast = join(folder, "ballast");
  return { folder, fill: () => writeAll(ballast), free: () => rmSync(ballast) };
}

function writeAll(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 1 << 20; size > 0; size >>= 1) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
