import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../src/redis/keys.ts";
import { startPrivateServer } from "../../src/redis/private-server.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { untilTracking } from "../support/world/memory-process.ts";
import { runDoctor } from "../support/world/doctor.ts";
import { onCluster } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";

const tableSetting = "tracking-table-max-keys";

describe.skipIf(onCluster)("what Redis notes about read keys", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterEach(async () => {
    await configure("maxmemory", 0);
    await configure(tableSetting, 1_000_000);
  });
  afterAll(() => world.close());

  async function configure(name: string, value: number | string): Promise<void> {
    await world.ctx.redis.config("SET", name, value);
  }

  /** Has the memory of a web process ask for so many names, which nobody has. */
  async function lookUp(names: number): Promise<void> {
    const { redis, memory } = world.ctx;
    await untilTracking(memory);
    for (let first = 0; first < names; first += 1000) {
      const some = Array.from({ length: 1000 }, (_, nth) => keys.username(`nobody${first + nth}`));
      await Promise.all(some.map((key) => memory.ask(redis, ["get", key])));
    }
  }

  /** What the doctor says of the servers: its findings and its notes. */
  async function examineServer(): Promise<string> {
    const { counts, notes } = await runDoctor(world);
    return [...Object.keys(counts), ...notes].join("\n");
  }

  it("the doctor says when looking up many names takes much of a small memory", async () => {
    await lookUp(60_000);
    await configure("maxmemory", "70mb");
    expect(await examineServer()).toContain("server-tracking");
    await configure("maxmemory", "1gb");
    expect(await examineServer()).not.toContain("server-tracking");
  });

  it("the doctor says when the table of read keys is full, and what a larger one takes", async () => {
    const isFull = /read keys is full .* raise tracking-table-max-keys \(\d+ bytes a key\)/;
    await lookUp(1000);
    expect(await examineServer()).not.toMatch(isFull);
    await configure(tableSetting, 1000);
    expect(await examineServer()).toMatch(isFull);
    await configure(tableSetting, 0);
    expect(await examineServer()).not.toMatch(isFull);
  });

  it("a table that is full and takes much of the memory is not to grow", async () => {
    await lookUp(60_000);
    await configure(tableSetting, 60_000);
    await configure("maxmemory", "70mb");
    const words = await examineServer();
    expect(words).toContain("server-tracking");
    expect(words).not.toContain("raise tracking-table-max-keys");
  });

  it("the private Redis bounds its notes", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const server = await startPrivateServer({ dataDir });
    const redis = new Redis(server.socket);
    const [, bound] = await redis.config("GET", tableSetting);
    expect(Number(bound)).toBeGreaterThanOrEqual(200_000);
    expect(Number(bound)).toBeLessThanOrEqual(1_000_000);
    redis.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true });
  });
});
