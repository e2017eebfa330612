import { execFile } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const source = fileURLToPath(new URL("shim.c", import.meta.url));

/** Faults of disk and clock for processes that are started with `env`; each is off at first. */
export interface Shim {
  /** For the environment of the processes; they share the faults. */
  env: Record<string, string>;
  /** Milliseconds that each fsync takes longer, from now on. */
  slowFsync(milliseconds: number): void;
  /** Sets the wall clock ahead of the machine's, or behind where below zero. Timers are not moved. */
  shiftClock(milliseconds: number): void;
  /** Cuts every file in `folder` to what had been synced: the disk after a power loss. Bytes lost. */
  losePower(folder: string): Promise<number>;
}

/** Compiles the shim; undefined where there is no C compiler. Its files lie in `folder`, made if need be. */
export async function makeShim(folder: string): Promise<Shim | undefined> {
  mkdirSync(folder, { recursive: true });
  const library = join(folder, "shim.so");
  const flags = ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"];
  const compiled = await promisify(execFile)("cc", flags).catch((error: { code?: unknown }) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (compiled === undefined) return undefined;
  const fsync = join(folder, "fsync-milliseconds");
  const clock = join(folder, "clock-milliseconds");
  const synced = join(folder, "synced");
  for (const file of [fsync, clock]) writeFileSync(file, numberText(0));
  writeFileSync(synced, "");
  return {
    env: {
      LD_PRELOAD: library,
      DRILL_FSYNC_FILE: fsync,
      DRILL_CLOCK_FILE: clock,
      DRILL_SYNCED_FILE: synced,
    },
    slowFsync: (milliseconds) => overwrite(fsync, milliseconds),
    shiftClock: (milliseconds) => overwrite(clock, milliseconds),
    losePower: (folderOfData) => cutToSynced(folderOfData, synced),
  };
}

/** The processes have the file mapped: it keeps its length. */
function overwrite(path: string, value: number): void {
  const file = openSync(path, "r+");
  writeSync(file, numberText(value), 0);
  closeSync(file);
}

function numberText(value: number): string {
  return `${String(Math.round(value)).padEnd(16)}\n`;
}

async function cutToSynced(folder: string, log: string): Promise<number> {
  const sizes = new Map<string, number>();
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [size, inode] = line.split(" ");
    if (inode !== undefined) sizes.set(inode, Number(size));
  }
  let lost = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { ino, size } = await stat(path);
    const kept = Math.min(size, sizes.get(String(ino)) ?? 0);
    if (kept === size) continue;
    await truncate(path, kept);
    lost += size - kept;
  }
  return lost;
}
