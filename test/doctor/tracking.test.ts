import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const names = 60_000;

describe.skipIf(onCluster)("what Redis notes about read keys", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(async () => {
    await world.ctx.redis.config("SET", "maxmemory", 0);
    await world.close();
  });

  it("the doctor says when looking up many names takes much of a small memory", async () => {
    const { redis, memory } = world.ctx;
    await untilTracking(memory);
    for (let first = 0; first < names; first += 1000) {
      const some = Array.from({ length: 1000 }, (_, nth) => keys.username(`nobody${first + nth}`));
      await Promise.all(some.map((key) => memory.ask(redis, ["get", key])));
    }
    await world.ctx.redis.config("SET", "maxmemory", "70mb");
    const { counts } = await runDoctor(world);
    expect(Object.keys(counts)).toContain("server-tracking");
    await world.ctx.redis.config("SET", "maxmemory", "1gb");
    expect(Object.keys((await runDoctor(world)).counts)).not.toContain("server-tracking");
  });

  it("the private Redis bounds its notes", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const server = await startPrivateServer({ dataDir });
    const redis = new Redis(server.socket);
    expect(await redis.config("GET", "tracking-table-max-keys")).toContain("200000");
    redis.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true });
  });
});
