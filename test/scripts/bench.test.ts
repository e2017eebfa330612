import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { infoOf } from "../../src/redis/servers.ts";
import { builtProgram } from "../support/world/built-program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Connections of the bench itself: its own, and the lease of its private Redis. */
const ownClients = 2;

describe("npm run bench", () => {
  let folder: string;
  beforeAll(() => builtProgram("worker"), 240_000);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function startBench(...args: string[]): ChildProcess {
    return spawn(process.execPath, ["--import", "tsx", "scripts/bench.ts", ...args], {
      cwd: root,
      env: { PATH: process.env["PATH"], TMPDIR: folder },
      stdio: "ignore",
    });
  }

  const dataFolders = async () =>
    (await readdir(folder)).filter((name) => name.startsWith("suzume-bench-"));

  /** Process id of the bench's Redis, once a process of the site uses it, too. */
  async function redisInUse(): Promise<number> {
    for (;;) {
      const [data] = await dataFolders();
      const info = data === undefined ? {} : await look(join(folder, data, "redis.sock"));
      const others = Number(info["connected_clients"] ?? 0) - 1;
      if (others > ownClients) return Number(info["process_id"]);
      await sleep(50);
    }
  }

  it("a bench that is told to end, also twice, ends its Redis and its site, and removes their data", async () => {
    const bench = startBench("follows", "--scale", "0.03");
    const exited = once(bench, "exit");
    const redis = await redisInUse();
    for (const signal of ["SIGINT", "SIGTERM"] as const) bench.kill(signal);
    expect(await exited).toEqual([130, null]);
    expect(() => process.kill(redis, 0)).toThrow("ESRCH");
    expect(await dataFolders()).toEqual([]);
  }, 120_000);
});

/** What a Redis says about itself; nothing while it is away. */
async function look(path: string): Promise<Partial<Record<string, string>>> {
  const redis = new Redis({ path, lazyConnect: true, retryStrategy: () => null });
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await infoOf(redis);
  } catch {
    return {};
  } finally {
    redis.disconnect();
  }
}
