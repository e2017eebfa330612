import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { openStorage } from "../../src/storage/guard-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";

const file = "17-0123456789abcdef01234567-0123456789abcdef.webp";
const other = "17-0123456789abcdef01234567-fedcba9876543210.webp";
const bytes = Buffer.from(Array.from({ length: 1000 }, (_, nth) => nth % 256));

async function bodyOf(storage: Storage, range?: { start: number; end: number }): Promise<Buffer> {
  const found = await storage.find(file);
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await found?.read(range)) ?? []) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

async function namesIn(storage: Storage): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.list()) names.push(name);
  return names.toSorted();
}

describe.each(["folder", "bucket"] as const)("a storage in a %s", (kind) => {
  let folder: string;
  let server: S3rver | undefined;
  let storage: Storage;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    if (kind === "folder") storage = openStorage(parseConfig({ DATA_DIR: folder })) as Storage;
    else {
      const configureBuckets = [{ name: "birds", configs: [] }];
      const about = { port: 0, address: "127.0.0.1", silent: true, directory: folder };
      server = new S3rver({ ...about, configureBuckets });
      const { port } = await server.run();
      const settings = {
        BUCKET_URL: `http://127.0.0.1:${port}/birds`,
        BUCKET_REGION: "us-east-1",
        // The only pair that s3rver knows.
        BUCKET_KEY_ID: "S3RVER",
        BUCKET_SECRET: "S3RVER",
      };
      storage = openStorage(parseConfig(settings)) as Storage;
    }
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it(`a ${kind} without files lists none and finds none`, async () => {
    expect(await namesIn(storage)).toEqual([]);
    expect(await storage.find(file)).toBeUndefined();
    await storage.remove(file);
  });

  it(`a ${kind} gives back what was put, whole and in parts, also if it was put twice`, async () => {
    for (let time = 1; time <= 2; time += 1) await storage.put(file, bytes, "image/webp");
    expect((await storage.find(file))?.size).toBe(1000);
    expect(await bodyOf(storage)).toEqual(bytes);
    expect(await bodyOf(storage, { start: 10, end: 19 })).toEqual(bytes.subarray(10, 20));
    expect(await bodyOf(storage, { start: 990, end: 999 })).toEqual(bytes.subarray(990));
  });

  it(`a ${kind} lists its files with their time, and forgets what is removed`, async () => {
    await storage.put(other, bytes, "image/webp");
    expect(await namesIn(storage)).toEqual([file, other]);
    for await (const { writtenAt } of storage.list())
      expect(Math.abs(Date.now() - writtenAt)).toBeLessThan(60_000);
    for (let time = 1; time <= 2; time += 1) await storage.remove(other);
    expect(await namesIn(storage)).toEqual([file]);
    expect(await storage.find(other)).toBeUndefined();
  });

  it(`a ${kind} no longer finds a file that was set aside, and deletes it when its time has come`, async () => {
    await storage.put(other, bytes, "image/webp");
    for (let time = 1; time <= 2; time += 1) await storage.setAside(other);
    expect(await namesIn(storage)).toEqual([file]);
    expect(await storage.find(other)).toBeUndefined();
    const asideIn = async () =>
      (await readdir(folder, { recursive: true })).filter(
        (path) => path.includes("pictures-removed") && path.includes(other),
      );
    await storage.deleteSetAside(Date.now() - 60_000);
    expect(await asideIn()).not.toEqual([]);
    await storage.deleteSetAside(Date.now() + 60_000);
    expect(await asideIn()).toEqual([]);
    expect(await namesIn(storage)).toEqual([file]);
  });
});

describe("a storage in a folder", () => {
  it("only this system user can read its files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const storage = openStorage(parseConfig({ DATA_DIR: folder })) as Storage;
    await storage.put(file, bytes, "image/webp");
    const about = await stat(join(folder, "pictures", "17", file));
    expect(about.mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "pictures", "17"))).toEqual([file]);
    await rm(folder, { recursive: true, force: true });
  });

  it("no name leads out of the folder", async () => {
    const storage = openStorage(parseConfig({ DATA_DIR: tmpdir() })) as Storage;
    for (const name of ["../secret.webp", "a/b.webp", "..", "", "1-\0.webp", ".part"]) {
      await expect(storage.put(name, bytes, "")).rejects.toThrow("no name");
      await expect(storage.find(name)).rejects.toThrow("no name");
      await expect(storage.remove(name)).rejects.toThrow("no name");
    }
  });
});

describe("the choice of a storage", () => {
  it("a bucket that refuses to delete what is not there has deleted it", async () => {
    const server = createServer((_req, res) => {
      res.writeHead(404, { "Content-Type": "application/xml" });
      res.end("<Error><Code>NoSuchKey</Code></Error>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const settings = {
      BUCKET_URL: `http://127.0.0.1:${port}/birds`,
      BUCKET_REGION: "auto",
      BUCKET_KEY_ID: "key",
      BUCKET_SECRET: "secret",
    };
    const storage = openStorage(parseConfig(settings)) as Storage;
    for (let time = 0; time < 4; time += 1) await storage.remove(file);
    server.close();
  });

  it("Heroku has a storage only with a bucket", () => {
    expect(openStorage(parseConfig({ DYNO: "web.1" }))).toBeUndefined();
    const bucket = {
      BUCKET_URL: "https://s3.example/birds",
      BUCKET_KEY_ID: "a",
      BUCKET_SECRET: "b",
    };
    expect(openStorage(parseConfig({ DYNO: "web.1", ...bucket }))).toBeDefined();
  });

  it("half a bucket is refused, without its secret in the message", () => {
    expect(() => parseConfig({ BUCKET_SECRET: "hidden" })).toThrow("BUCKET_URL is required");
    expect(() => parseConfig({ BUCKET_SECRET: "hidden" })).not.toThrow("hidden");
  });
});
