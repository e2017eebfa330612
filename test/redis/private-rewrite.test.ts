import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type PrivateServer, startPrivateServer } from "../../src/redis/private-server.ts";

/** L11. */
describe("the append-only file of a private server", () => {
  let dataDir: string;
  let servers: PrivateServer[];
  let redis: Redis;
  beforeEach(async () => {
    dataDir = await fs.mkdtemp(path.join(tmpdir(), "suzume-test-"));
    servers = [await startPrivateServer({ dataDir })];
    redis = new Redis({ path: servers[0]?.socket ?? "" });
    await redis.set("said", "a regretted word");
    await redis.del("said");
  });
  afterEach(async () => {
    redis.disconnect();
    for (const server of servers) await server.stop();
    await fs.rm(dataDir, { recursive: true, force: true });
  });

  const folder = () => path.join(dataDir, "appendonlydir");
  async function isWritten(): Promise<boolean> {
    const names = await fs.readdir(folder());
    const files = await Promise.all(
      names.map((name) => fs.readFile(path.join(folder(), name), "latin1").catch(() => "")),
    );
    return files.some((text) => text.includes("a regretted word"));
  }

  /** Another process that uses the server looks, too. */
  const another = async () => void servers.push(await startPrivateServer({ dataDir }));

  it("the append-only file is rewritten after a day, without deleted data", async () => {
    await another();
    expect(await isWritten()).toBe(true);
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of await fs.readdir(folder()))
      await fs.utimes(path.join(folder(), name), yesterday, yesterday);
    await another();
    await vi.waitUntil(async () => !(await isWritten()), { timeout: 20_000, interval: 50 });
    expect(await redis.exists("said")).toBe(0);
  });
});
