import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { keys } from "../src/redis/keys.ts";
import { builtProgram } from "./support/world/built-program.ts";
import { freePort } from "./support/world/ports.ts";
import { launchRedis } from "./support/world/redis-server.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Program {
  child: ChildProcess;
  /** Everything it wrote, to both streams. */
  said(): string;
  /** Its exit code. */
  exited: Promise<number | null>;
}

async function start(file: string, settings: Record<string, string>): Promise<Program> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const child = spawn(process.execPath, [await builtProgram(file)], {
    env: { PATH: process.env["PATH"], DATA_DIR: dir, HOST: "127.0.0.1", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (text += String(chunk)));
  const exited = once(child, "close").then(([code]) => code as number | null);
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await exited;
    await rm(dir, { recursive: true, force: true });
  });
  return { child, said: () => text, exited };
}

async function redisAt(port: number, ...flags: string[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const redis = launchRedis(["--port", port, "--bind", "127.0.0.1", "--dir", dir, ...flags]);
  cleanups.push(async () => {
    await redis.kill();
    await rm(dir, { recursive: true, force: true });
  });
  const client = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => {});
  // Also an answer that a password is wanted shows that it is there.
  await client.ping().catch(() => {});
  client.disconnect();
}

describe("a program with wrong settings", () => {
  it.each(["start", "web", "worker", "doctor"])(
    "%s names all wrong settings at once and ends",
    async (file) => {
      const { said, exited } = await start(file, { PORT: "abc", TRUST_PROXY: "maybe" });
      expect(await exited).toBe(file === "doctor" ? 2 : 78);
      expect(said()).toContain("PORT=abc: must be a whole number from 0 to 65535");
      expect(said()).toContain("TRUST_PROXY=maybe: must be false, how many proxies");
      expect(said()).not.toMatch(/^ {2,}at /m);
    },
  );

  it.each([
    ["192.0.2.1", "this machine has no such address"],
    ["no-such-host.invalid", "HOST=no-such-host.invalid: "],
  ])("a wrong HOST=%s is named", async (HOST, says) => {
    const redis = await start("start", { HOST, PORT: "0" });
    expect(await redis.exited).toBe(1);
    expect(redis.said()).toContain(`HOST=${HOST}: `);
    expect(redis.said()).toContain(says);
    expect(redis.said()).not.toMatch(/^ {2,}at /m);
  });
});

describe("a program with former settings", () => {
  it("a former name of a limit still counts, and the log says at the start what to set instead", async () => {
    const port = await freePort();
    await redisAt(port);
    const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, PORT: "0", LIMIT_LIKES: "9/1h" };
    const { said } = await start("web", settings);
    const warning = "LIMIT_LIKES is read in this version only: set LIMIT_REACTIONS instead";
    await expect.poll(said, { timeout: 20_000 }).toContain(warning);
  }, 30_000);
});

describe("a program older than the data", () => {
  it.each(["start", "web", "worker", "doctor"])(
    "%s refuses newer data with a sentence that says what to do",
    async (file) => {
      const port = await freePort();
      await redisAt(port);
      const redis = new Redis({ port });
      await redis.hset(keys.siteData, "version", "1000");
      redis.disconnect();
      const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, PORT: "0" };
      const program = await start(file, settings);
      expect(await program.exited).toBe(file === "doctor" ? 2 : 78);
      expect(program.said()).toContain("is of version 1000, made by a newer Suzume");
      expect(program.said()).not.toMatch(/^ {2,}at /m);
      expect(program.said()).not.toContain("open http");
    },
    30_000,
  );
});

describe("npm start with a REDIS_URL where nothing listens", () => {
  it.each(["1", "2"])(
    "npm start with %s process(es) names an address where nothing listens, and is open later",
    async (WEB_CONCURRENCY) => {
      const port = await freePort();
      const REDIS_URL = `redis://:sesame@127.0.0.1:${port}`;
      const site = await start("start", { REDIS_URL, PORT: "0", WEB_CONCURRENCY });
      while (!site.said().includes("answers 503")) await sleep(50);
      const line = /suzume: http\S+ answers 503 until this works: (.*)/.exec(site.said())?.[1];
      expect(line).toContain(`127.0.0.1:${port} cannot be reached`);
      expect(site.said()).not.toContain("open http");
      expect(site.said()).not.toContain("sesame");

      await redisAt(port, "--requirepass", "sesame");
      while (!site.said().includes("open http")) await sleep(50);
      await sleep(500);
      expect(site.said().match(/open http/g)).toHaveLength(1);
      site.child.kill("SIGTERM");
      expect(await site.exited).toBe(0);
    },
    60_000,
  );
});
