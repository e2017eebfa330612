import { randomUUID } from "node:crypto";
import {
  access,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ListedFile, Storage } from "./storage.ts";

/** Names that cannot lead out of the folder. */
const safe = /^[\da-z]+(-[\da-z]+)*\.[a-z]+$/;
/** A file that is being written. */
const part = ".part";

/** Files in DATA_DIR/pictures; those set aside are in DATA_DIR/pictures-removed. */
export function openFolder(dataDir: string): Storage {
  const folder = join(dataDir, "pictures");
  const aside = join(dataDir, "pictures-removed");
  /** A hundred folders, by the last two digits of the user's id, so that none gets very large. */
  const pathOf = (name: string) => {
    if (!safe.test(name)) throw new TypeError(`no name of a file: ${name}`);
    return join(folder, name.split("-", 1)[0]?.slice(-2).padStart(2, "0") ?? "", name);
  };
  /** Whether this process has made the folder or seen it. */
  let isKnown = false;
  const prepare = async () => {
    if (isKnown) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    isKnown = true;
  };
  const write = async (path: string, bytes: Buffer, how: { synced: boolean }) => {
    await prepare();
    await mkdir(dirname(path), { mode: 0o700 }).catch(unlessThere);
    await writeWhole(path, bytes, how);
  };
  /** Undefined for a missing file. A whole folder that is missing is a disk that is away: its files come back. */
  const unlessMissing: Unless = async (work) => {
    try {
      return await work;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      if (isKnown) await access(folder);
      return undefined;
    }
  };
  return {
    put: async (name, bytes) => write(pathOf(name), bytes, { synced: true }),
    // Synchronizing megabytes that are deleted soon makes Redis wait, which synchronizes on the same disk.
    putBriefly: async (name, bytes) => write(pathOf(name), bytes, { synced: false }),
    async find(name) {
      const path = pathOf(name);
      const stats = await unlessMissing(stat(path));
      if (stats === undefined) return undefined;
      return {
        size: stats.size,
        read: async (range) => (await open(path)).createReadStream(range),
      };
    },
    async remove(name) {
      await unlessMissing(rm(pathOf(name)));
    },
    async freeBytes() {
      await prepare();
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    async check() {
      await prepare();
      const path = join(folder, `${randomUUID()}${part}`);
      try {
        await writeFile(path, "suzume", { mode: 0o600 });
      } finally {
        await rm(path, { force: true });
      }
    },
    async setAside(name) {
      const path = pathOf(name);
      const now = new Date();
      await mkdir(aside, { recursive: true, mode: 0o700 });
      // Its time is that of the move, and is set first: a crash in between leaves no old file aside.
      await unlessMissing(utimes(path, now, now).then(() => rename(path, join(aside, name))));
    },
    async deleteSetAside(before) {
      for await (const { name, writtenAt } of listFolder(aside, unlessMissing))
        if (writtenAt < before) await rm(join(aside, name), { force: true });
    },
    list: () => listFolder(folder, unlessMissing),
  };
}

type Unless = <Result>(work: Promise<Result>) => Promise<Result | undefined>;

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

async function writeWhole(
  path: string,
  bytes: Buffer,
  { synced }: { synced: boolean },
): Promise<void> {
  const draft = `${path}.${randomUUID()}${part}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      if (synced) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* listFolder(folder: string, unlessMissing: Unless): AsyncGenerator<ListedFile> {
  const entries = await unlessMissing(opendir(folder, { recursive: true }));
  if (entries === undefined) return;
  for await (const entry of entries) {
    // Others, such as `.DS_Store`, are not the site's.
    if (!entry.isFile() || !safe.test(entry.name) || entry.name.endsWith(part)) continue;
    const stats = await unlessMissing(stat(join(entry.parentPath, entry.name)));
    if (stats !== undefined) {
      const { size: bytes, mtimeMs: writtenAt } = stats;
      yield { name: entry.name, bytes, writtenAt };
    }
  }
}
