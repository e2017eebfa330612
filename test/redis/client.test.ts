import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Config, parseConfig } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { isOutage } from "../../src/domain/outage.ts";
import {
  type Address,
  connect,
  type ClientProfile,
  waitUntilReady,
} from "../../src/redis/client.ts";
import { guard } from "../../src/redis/guard.ts";
import { type PrivateServer, startPrivateServer } from "../../src/redis/private-server.ts";

const config = parseConfig({});
const clients: RedisClient[] = [];

function open(
  address: Address,
  profile: ClientProfile,
  errors: Error[] = [],
  settings: Config = config,
) {
  const client = connect(address, profile, settings, (error) => void errors.push(error));
  clients.push(client);
  return client;
}

async function took(work: Promise<unknown>): Promise<{ error: unknown; milliseconds: number }> {
  const began = performance.now();
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, milliseconds: performance.now() - began };
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

describe("a client that loses Redis", () => {
  let dataDir: string;
  let server: PrivateServer;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    server = await startPrivateServer({ dataDir });
  });
  afterAll(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function serverPid(): Promise<number> {
    const client = open({ socket: server.socket }, "worker") as Redis;
    const info = await client.info("server");
    return Number(/^process_id:(\d+)/m.exec(info)?.[1]);
  }

  it("a web client fails within 3 s when Redis goes away, and recovers with it", async () => {
    const pid = await serverPid();
    const client = open({ socket: server.socket }, "web");
    expect(await waitUntilReady(client, 10_000)).toBe(true);
    execFileSync("kill", ["-STOP", String(pid)]);
    try {
      const { error, milliseconds } = await took(client.get("anything"));
      expect(isOutage(error)).toBe(true);
      expect(milliseconds).toBeLessThan(3000);
    } finally {
      execFileSync("kill", ["-CONT", String(pid)]);
    }
    expect(await client.get("anything")).toBeNull();
  });

  it("a worker client waits when Redis goes away", async () => {
    const pid = await serverPid();
    const client = open({ socket: server.socket }, "worker");
    expect(await waitUntilReady(client, 10_000)).toBe(true);
    execFileSync("kill", ["-STOP", String(pid)]);
    let answered = false;
    const answer = client.set("patience", "rewarded").then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(answered).toBe(false);
    execFileSync("kill", ["-CONT", String(pid)]);
    await answer;
    expect(await client.get("patience")).toBe("rewarded");
  });
});

describe("a client without any Redis", () => {
  const nowhere = { socket: "/nowhere/redis.sock" };

  it("a client without any Redis is not ready, and says why without ending the process", async () => {
    const errors: Error[] = [];
    const client = open(nowhere, "web", errors);
    expect(await waitUntilReady(client, 200)).toBe(false);
    expect(errors.map((error) => error.message).join()).toContain("ENOENT");
  });

  it("a web client without any Redis refuses commands at once", async () => {
    const client = open(nowhere, "web");
    const { error, milliseconds } = await took(client.get("anything"));
    expect(isOutage(error)).toBe(true);
    expect(milliseconds).toBeLessThan(1000);
  });

  it("a client without any Redis reconnects at intervals, not thousands of times a second", async () => {
    const errors: Error[] = [];
    open(nowhere, "worker", errors);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(errors.length).toBeGreaterThan(1);
    expect(errors.length).toBeLessThan(12);
  });

  it("a client without an address says what is missing", () => {
    expect(() => open({ urls: [] }, "web")).toThrow("no address");
  });

  it("a client fails within 3 s where nothing ever answers", async () => {
    const mute = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => mute.once("listening", resolve));
    const { port } = mute.address() as { port: number };
    const client = open({ urls: [`redis://127.0.0.1:${port}`] }, "web");
    const { error, milliseconds } = await took(client.get("anything"));
    expect(isOutage(error)).toBe(true);
    expect(milliseconds).toBeLessThan(3000);
    client.disconnect();
    mute.close();
  });
});

describe("an address", () => {
  it("one URL is the address of one Redis, with the URL's settings", () => {
    const client = open({ urls: ["redis://me:p%40ss@127.0.0.1:1/3"] }, "web") as Redis;
    expect(client).toBeInstanceOf(Redis);
    expect(client.options).toMatchObject({ username: "me", password: "p@ss", port: 1, db: 3 });
    expect(client.options.tls).toBeUndefined();
  });

  it.each([false, true])(
    "a rediss:// address is encrypted; unverified only if allowed: %s",
    (allowed) => {
      const settings = { ...config, redisTlsUnverified: allowed };
      const address = { urls: ["rediss://127.0.0.1:1"] };
      const client = open(address, "web", [], settings) as Redis;
      expect(client.options.tls).toMatchObject({ rejectUnauthorized: !allowed });
    },
  );

  it("several URLs are a cluster, whose nodes take the first URL's password", () => {
    const urls = ["rediss://me:p%40ss@127.0.0.1:1", "rediss://127.0.0.1:2"];
    const client = open({ urls }, "web");
    expect(client).toBeInstanceOf(Cluster);
    const { options } = client as Cluster;
    expect(options.enableOfflineQueue).toBe(false);
    expect(options.redisOptions).toMatchObject({
      username: "me",
      password: "p@ss",
      tls: { rejectUnauthorized: true },
      maxRetriesPerRequest: 0,
    });
    expect(options.redisOptions?.commandTimeout).toBeLessThan(3000);
  });
});

describe("guard", () => {
  it("the guard tells what a full Redis would do", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const server = await startPrivateServer({ dataDir });
    const client = open({ socket: server.socket }, "web") as Redis;
    const told = { promises: async () => {}, onChange() {} };
    const watch = guard(client, { address: server.socket, ...told });
    await watch.well;
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    expect((await watch.look()).join()).toContain("maxmemory-policy allkeys-lru");
    const pid = Number(/process_id:(\d+)/.exec(await client.info("server"))?.[1]);
    process.kill(pid, "SIGSTOP");
    try {
      expect((await watch.look()).join()).toContain("does not answer");
      // What was wrong with the policy still is.
      expect(watch.refusesWrites()).toBe(true);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await client.config("SET", "maxmemory-policy", "noeviction");
    expect(await watch.look()).toEqual([]);
    expect(watch.refusesWrites()).toBe(false);
    watch.stop();
    client.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
