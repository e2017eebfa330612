import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { createApp } from "../../src/web/app.ts";
import { builtProgram } from "../support/world/built-program.ts";
import { startCluster } from "../support/world/cluster.ts";
import { freePlaces } from "../support/world/cluster-node.ts";
import { freePort } from "../support/world/ports.ts";
import { launchRedis, type RedisServer } from "../support/world/redis-server.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

const quick = { bcryptCost: 4, answerMilliseconds: 20_000 };
const config = { ...parseConfig({ LOG_LEVEL: "silent" }), ...quick };
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function server(port: number, ...flags: string[]): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const running = launchRedis(["--port", port, "--bind", "127.0.0.1", "--dir", dir, ...flags]);
  cleanups.push(async () => {
    await running.kill();
    await rm(dir, { recursive: true, force: true });
  });
  return running;
}

/** To change the server itself. */
async function command(port: number, password: string, ...words: [string, ...string[]]) {
  const client = new Redis({ port, password, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on("error", () => {});
  await client.call(...words);
  client.disconnect();
}

async function siteOn(urls: string[]): Promise<{ booted: Booted; visitor: Visitor }> {
  const booted = await boot(config, { urls });
  cleanups.push(() => booted.close());
  const app = createApp(booted.ctx, { ...appOptions, redis: booted.redis });
  return { booted, visitor: new Visitor(app) };
}

/** What /readyz says. */
async function readiness(visitor: Visitor): Promise<{ status: number; text: string }> {
  const { status, text } = await visitor.get("/readyz");
  return { status, text };
}

async function untilReady(visitor: Visitor): Promise<void> {
  while ((await readiness(visitor)).status !== 200) await sleep(100);
}

describe("a wrong Redis", () => {
  it("an absent Redis is named in /readyz, and used once it is there", async () => {
    const port = await freePort();
    const { visitor } = await siteOn([`redis://:sesame@127.0.0.1:${port}`]);
    const away = await readiness(visitor);
    expect(away.status).toBe(503);
    expect(away.text).toContain(`127.0.0.1:${port} cannot be reached`);
    expect(away.text).not.toContain("sesame");
    // Through a proxy any client may ask: addresses are for the host only.
    const stranger = await visitor.get("/readyz").set("X-Forwarded-For", "192.0.2.7").expect(503);
    expect(stranger.text).toBe("not ready; the log says why\n");
    await visitor.get("/healthz").expect(200);
    await server(port, "--requirepass", "sesame");
    await untilReady(visitor);
    await visitor.signUp("early");
  });

  it("a Redis that refuses the password is named without it, and used once it is right", async () => {
    const port = await freePort();
    await server(port, "--requirepass", "right");
    const { visitor } = await siteOn([`redis://:sesame@127.0.0.1:${port}`]);
    const locked = await readiness(visitor);
    expect([locked.status, locked.text]).toEqual([
      503,
      expect.stringContaining(`127.0.0.1:${port} refuses the password in REDIS_URL`),
    ]);
    expect(locked.text).not.toContain("sesame");
    await visitor.get("/healthz").expect(200);
    await visitor.get("/").expect(503);
    await command(port, "right", "CONFIG", "SET", "requirepass", "sesame");
    await untilReady(visitor);
    await visitor.get("/").expect(200);
  });

  it("a late Redis that would drop data is given nothing to keep (R11)", async () => {
    const port = await freePort();
    const { visitor } = await siteOn([`redis://127.0.0.1:${port}`]);
    await server(port, "--maxmemory-policy", "allkeys-lru");
    for (;;) {
      const { status, text } = await readiness(visitor);
      expect(status).toBe(503);
      if (text.includes("maxmemory-policy allkeys-lru")) break;
      await sleep(100);
    }
    await visitor.get("/explore").expect(200);
    const form = { name: "early", fullname: "Early", password: "correct horse 42" };
    await visitor.post("/signup", form).expect(503);
    await command(port, "", "CONFIG", "SET", "maxmemory-policy", "noeviction");
    await untilReady(visitor);
    await visitor.post("/signup", form).expect(303);
  });

  it("a Redis that takes no writes is named with the reason, while pages are shown (R15)", async () => {
    const port = await freePort();
    await server(port);
    const { visitor } = await siteOn([`redis://127.0.0.1:${port}`]);
    await untilReady(visitor);
    await command(port, "", "CONFIG", "SET", "min-replicas-to-write", "1");
    expect(await readiness(visitor)).toEqual({
      status: 503,
      text: expect.stringContaining(`127.0.0.1:${port} takes no writes: it has too few replicas`),
    });
    await visitor.get("/explore").expect(200);
  });

  it("several addresses that are no cluster are named so (R20)", async () => {
    const [one, other] = [await freePort(), await freePort()];
    await server(one);
    await server(other);
    const urls = [one, other].map((port) => `redis://127.0.0.1:${port}`);
    const { visitor } = await siteOn(urls);
    const { status, text } = await readiness(visitor);
    expect([status, text]).toEqual([503, expect.stringContaining("is no cluster")]);
    await visitor.get("/").expect(503);
    await visitor.get("/healthz").expect(200);
  });
});

describe("one URL of a cluster (R15, R20)", () => {
  it("one URL of a cluster is enough, and each absent primary is named", async () => {
    const cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const [first, second] = cluster.nodes;
    const { visitor } = await siteOn([first?.url ?? ""]);
    await untilReady(visitor);
    await visitor.signUp("early");
    await visitor.tweet("everywhere");
    await second?.kill();
    for (;;) {
      const { status, text } = await readiness(visitor);
      if (status === 503 && text.includes(`:${second?.place.port}`)) break;
      await sleep(100);
    }
    await visitor.get("/healthz").expect(200);
  });

  it("a process that starts before its cluster, with one URL of it, ends by itself (R20)", async () => {
    const places = await freePlaces(3);
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const urls = places.map((place) => `redis://127.0.0.1:${place.port}`);
    const settings = {
      REDIS_URL: urls[0],
      PORT: String(port),
      HOST: "127.0.0.1",
      DATA_DIR: folder,
    };
    const web = spawn(process.execPath, [await builtProgram("web")], {
      env: { PATH: process.env["PATH"], LOG_LEVEL: "silent", ...settings },
      stdio: ["ignore", "ignore", "pipe"],
    });
    cleanups.push(async () => {
      web.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    });
    let said = "";
    web.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
    const exited = new Promise((resolve) => {
      web.once("exit", resolve);
    });
    const look = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    while ((await look())?.status !== 200) await sleep(100);
    const cluster = await startCluster({ places });
    cleanups.push(() => cluster.stop());
    expect(await exited).toBe(1);
    expect(said).toContain("one URL of a cluster");
  });
});
