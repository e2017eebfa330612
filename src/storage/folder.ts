import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
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
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    isKnown = true;
  };
  const write = async (name: string, bytes: Buffer, { flush }: { flush: boolean }) => {
    const path = pathOf(name);
    await prepare();
    await fs.mkdir(dirname(path), { mode: 0o700 }).catch(unlessThere);
    const draft = `${path}.${randomUUID()}${part}`;
    try {
      await fs.writeFile(draft, bytes, { flag: "wx", mode: 0o600, flush });
      await fs.rename(draft, path);
    } catch (error) {
      await fs.rm(draft, { force: true });
      throw error;
    }
  };
  /** Undefined for a missing file. A whole folder that is missing is a disk that is away: its files come back. */
  const unlessMissing: Unless = async (work) => {
    try {
      return await work;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      if (isKnown) await fs.access(folder);
      return undefined;
    }
  };
  return {
    put: (name, bytes) => write(name, bytes, { flush: true }),
    // Synchronizing megabytes that are deleted soon makes Redis wait, which synchronizes on the same disk.
    putBriefly: (name, bytes) => write(name, bytes, { flush: false }),
    async find(name) {
      const path = pathOf(name);
      const stats = await unlessMissing(fs.stat(path));
      if (stats === undefined) return undefined;
      return {
        size: stats.size,
        read: async (range) => (await fs.open(path)).createReadStream(range),
      };
    },
    async remove(name) {
      await unlessMissing(fs.rm(pathOf(name)));
    },
    async freeBytes() {
      await prepare();
      const { bavail, bsize } = await fs.statfs(folder);
      return bavail * bsize;
    },
    async check() {
      await prepare();
      const path = join(folder, `${randomUUID()}${part}`);
      try {
        await fs.writeFile(path, "suzume", { mode: 0o600 });
      } finally {
        await fs.rm(path, { force: true });
      }
    },
    async setAside(name) {
      const path = pathOf(name);
      const now = new Date();
      await fs.mkdir(aside, { recursive: true, mode: 0o700 });
      // Its time is that of the move, and is set first: a crash in between leaves no old file aside.
      await unlessMissing(fs.utimes(path, now, now).then(() => fs.rename(path, join(aside, name))));
    },
    async deleteSetAside(before) {
      for await (const { name, writtenAt } of listFolder(aside, unlessMissing))
        if (writtenAt < before) await fs.rm(join(aside, name), { force: true });
    },
    list: () => listFolder(folder, unlessMissing),
  };
}

type Unless = <Result>(work: Promise<Result>) => Promise<Result | undefined>;

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

async function* listFolder(folder: string, unlessMissing: Unless): AsyncGenerator<ListedFile> {
  const entries = await unlessMissing(fs.opendir(folder, { recursive: true }));
  if (entries === undefined) return;
  for await (const entry of entries) {
    // Others, such as `.DS_Store`, are not the site's.
    if (!entry.isFile() || !safe.test(entry.name) || entry.name.endsWith(part)) continue;
    const stats = await unlessMissing(fs.stat(join(entry.parentPath, entry.name)));
    if (stats !== undefined)
      yield { name: entry.name, bytes: stats.size, writtenAt: stats.mtimeMs };
  }
}
