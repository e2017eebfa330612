import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { makeBackup } from "../../src/backup/make-backup.ts";
import { readFile } from "../../src/backup/read-file.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { parseConfig } from "../../src/config.ts";
import { open, type Opened } from "../../src/open.ts";
import { keys } from "../../src/redis/keys.ts";
import { type Cleanups, collect, folder, server } from "./support.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const name = "1-0123456789abcdef01234567-0123456789abcdef.webp";
const bytes = Buffer.alloc(100_000, "a picture ");

/** A site with a folder and a Redis of its own. */
async function site(): Promise<Opened> {
  const { socket } = await server(cleanups);
  const dataDir = await folder(cleanups);
  const settings = { REDIS_URL: socket, DATA_DIR: dataDir, LOG_LEVEL: "silent" };
  const opened = await open(parseConfig(settings));
  cleanups.push(() => opened.close());
  return opened;
}

/** The files that a backup has. */
async function namesIn(file: string): Promise<string[]> {
  const found = await collect((await readFile(file)).entries());
  return [...found.keys()].filter((key) => key.startsWith("files:"));
}

it("a backup leaves out files that the site did not write, and those that are removed meanwhile", async () => {
  const { ctx } = await site();
  const { storage } = ctx;
  if (storage === undefined) throw new Error("no storage");
  await ctx.redis.set(keys.userIds, 1);
  const removed = name.replace(/^1/, "2");
  for (const one of [name, removed]) await storage.put(one, bytes, "image/webp");
  const pictures = join(ctx.config.dataDir, "pictures");
  for (const foreign of [".DS_Store", `01/${name}~`, "01/.nfs0001", "Notes.txt", "notes.txt"])
    await writeFile(join(pictures, foreign), "not the site's");
  const find = storage.find.bind(storage);
  vi.spyOn(storage, "find").mockImplementation(async (wanted) => {
    const file = await find(wanted);
    if (wanted === removed) await storage.remove(removed);
    return file;
  });
  const file = join(await folder(cleanups), "site.backup");
  await makeBackup(ctx, { file, secret: "s", program: "0.1.0", say: () => {} });
  expect(await namesIn(file)).toEqual([`files:${name}`]);
});

it("a backup has the pictures of the site, and a restore brings them back", async () => {
  const { ctx } = await site();
  await ctx.redis.set(keys.userIds, 1);
  await ctx.storage?.put(name, bytes, "image/webp");
  const file = join(await folder(cleanups), "site.backup");
  const header = await makeBackup(ctx, { file, secret: "s", program: "0.1.0", say: () => {} });
  expect(header).toMatchObject({ counts: { files: 1 } });

  const other = await site();
  await restoreBackup(other.ctx, await readFile(file));
  const found = await other.ctx.storage?.find(name);
  const chunks: Buffer[] = [];
  for await (const chunk of (await found?.read()) ?? []) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks)).toEqual(bytes);
  expect(await other.ctx.redis.get(keys.userIds)).toBe("1");
  expect(await other.ctx.redis.keys("files:*")).toEqual([]);
});
