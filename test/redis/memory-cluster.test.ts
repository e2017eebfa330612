import { setTimeout as sleep } from "node:timers/promises";
import calculateSlot from "cluster-key-slot";
import type { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";
import {
  type MemoryProcess,
  startProcess,
  stopProcess,
  untilTracking,
} from "../support/world/memory-process.ts";

const names = Array.from({ length: 12 }, (_, nth) => `key${nth}`);

describe("a memory of a cluster", () => {
  let cluster: TestCluster;
  let here: MemoryProcess;
  let there: MemoryProcess;
  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 });
    const { urls } = cluster;
    [here, there] = await Promise.all([startProcess({ urls }), startProcess({ urls })]);
  }, 60_000);
  afterAll(async () => {
    for (const one of [here, there]) stopProcess(one);
    await cluster.stop();
  });

  /** Writes here; what is read here is never older, and there it shows soon. */
  async function writeAndRead(): Promise<void> {
    for (const name of names) {
      const version = await here.redis.hincrby(name, "version", 1);
      await here.memory.settled();
      expect(await here.recall(name)).toBe(version);
      while ((await there.recall(name)) !== version) await sleep(5);
    }
  }

  async function untilBothTrack(): Promise<void> {
    for (const { memory } of [here, there]) await untilTracking(memory);
  }

  it("a memory hears of changes from every primary of a cluster", async () => {
    await writeAndRead();
    await writeAndRead();
    const before = there.memory.stats();
    for (const name of names) await there.recall(name);
    expect(there.memory.stats()).toMatchObject({
      hits: before.hits + names.length,
      misses: before.misses,
    });
  });

  it("a memory of a cluster forgets nothing at a refresh of the slots that finds them where they were", async () => {
    const fresh = await startProcess({ urls: cluster.urls });
    for (const name of names) await fresh.recall(name);
    (fresh.redis as Cluster).emit("refresh");
    expect(fresh.memory.stats().entries).toBe(names.length);
    stopProcess(fresh);
  });

  it("a memory follows keys that move to another node", async () => {
    await writeAndRead();
    const moving = names.map((name) => calculateSlot(name));
    for (const [nth, slot] of moving.entries()) {
      const { primary } = await cluster.shardOf(names[nth] ?? "");
      await cluster.moveSlot(slot, (cluster.nodes.indexOf(primary) + 1) % 3);
      await writeAndRead();
    }
  }, 60_000);

  it("a memory forgets the keys of a replaced primary", async () => {
    await writeAndRead();
    const { replicas } = await cluster.shardOf("key0");
    await replicas[0]?.client.call("CLUSTER", "FAILOVER");
    await cluster.whole();
    await writeAndRead();
    const { primary } = await cluster.shardOf("key0");
    expect(primary).toBe(replicas[0]);
    await untilBothTrack();
    await writeAndRead();
  }, 60_000);

  it("a memory trusts no primary that was cut off", async () => {
    await writeAndRead();
    const { primary } = await cluster.shardOf("key0");
    primary.freeze();
    while ((await cluster.shardOf("key0")).primary === primary) await sleep(50);
    await cluster.whole();
    // Once the clients have found the new primary.
    while ((await here.redis.hget("key0", "version").catch(() => null)) === null) await sleep(50);
    while (!(await there.redis.hget("key0", "version").catch(() => null))) await sleep(50);
    await writeAndRead();
    primary.thaw();
    await cluster.whole();
    await untilBothTrack();
    await writeAndRead();
  }, 60_000);
});
