import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Reading, startMemory } from "../../src/redis/memory.ts";
import { type FaultyNetwork, faultyNetwork } from "../support/world/faulty-network.ts";
import {
  killOneOf,
  type MemoryProcess,
  type MemoryProcesses,
  startProcess,
  startProcesses,
  stopProcess,
  untilTracking,
  versionReading,
} from "../support/world/memory-process.ts";

describe("a memory", () => {
  let started: MemoryProcesses;
  let processes: MemoryProcess[];
  const at = (index: number) => processes[index] as MemoryProcess;

  beforeAll(async () => {
    started = await startProcesses(3);
    ({ processes } = started);
  });
  beforeEach(async () => {
    await at(0).redis.flushall();
    await Promise.all(processes.map(({ memory }) => untilTracking(memory)));
    await Promise.all(processes.map(({ memory }) => memory.settled()));
  });
  afterAll(() => started.close());

  it("a memory returns an unchanged value without asking Redis, as the same frozen object", async () => {
    const { memory, redis } = at(0);
    await redis.hset("a", "version", 7);
    const [first] = await memory.read(redis, versionReading, ["a"]);
    const before = memory.stats();
    const [again] = await memory.read(redis, versionReading, ["a"]);
    expect(again).toBe(first);
    expect(Object.isFrozen(again)).toBe(true);
    expect(memory.stats()).toMatchObject({ hits: before.hits + 1, misses: before.misses });
  });

  it("a memory asks again for what a reading finds to be nothing", async () => {
    const { memory, redis } = at(0);
    const reading: Reading<string, string | undefined> = {
      key: (name) => name,
      command: ["get"],
      parse: (reply) => (typeof reply === "string" ? reply : undefined),
    };
    for (const time of [1, 2]) {
      const { misses } = memory.stats();
      expect([time, await memory.read(redis, reading, ["nothing"])]).toEqual([time, [undefined]]);
      expect(memory.stats()).toMatchObject({ misses: misses + 1, entries: 0 });
    }
  });

  it("a memory keeps a value that means absence, until there is something", async () => {
    const { memory, redis, recall } = at(0);
    expect(await recall("absent")).toBe(0);
    const { misses } = memory.stats();
    expect(await recall("absent")).toBe(0);
    expect(memory.stats().misses).toBe(misses);
    await redis.hset("absent", "version", 1);
    await memory.settled();
    expect(await recall("absent")).toBe(1);
  });

  describe("a memory over a slow network", () => {
    let network: FaultyNetwork;
    let far: MemoryProcess;
    /** The ordinary connection is the first. */
    const [listener, reader] = [2, 3];
    beforeEach(async () => {
      network = await faultyNetwork({ path: started.socket });
      far = await startProcess({ urls: [`redis://127.0.0.1:${network.port}`] });
    });
    afterEach(async () => {
      stopProcess(far);
      await network.close();
    });

    it("a memory does not keep a value that changed while the answer was on its way", async () => {
      network.delay(1000, reader);
      const reading = far.recall("a");
      await sleep(20);
      await at(1).redis.hset("a", "version", 1);
      expect(await reading).toBe(0);
      expect(far.memory.stats().entries).toBe(0);
      expect(await far.recall("a")).toBe(1);
    });

    it("a read does not share another that began before the key changed", async () => {
      network.delay(60, reader);
      const reading = far.recall("a");
      await sleep(20);
      await far.redis.hset("a", "version", 1);
      await far.memory.settled();
      expect(await far.recall("a")).toBe(1);
      expect(await reading).toBe(0);
    });

    it("who wrote waits for a late notice of the change, and others wait for nothing", async () => {
      await far.recall("a");
      network.delay(60, listener);
      await far.redis.hset("a", "version", 1);
      const settled = far.memory.settled();
      // Answered in the same turn: from the memory, before the notice has come.
      expect(far.memory.read(far.redis, versionReading, ["a"])).toEqual([{ version: 0 }]);
      await settled;
      expect(await far.recall("a")).toBe(1);
    });

    it("a memory forgets everything once a connection falls silent", async () => {
      await far.recall("a");
      network.loseConnections();
      while (far.memory.stats().entries > 0) await sleep(20);
      await untilTracking(far.memory);
    });

    it("a memory keeps no link that was opened while its client lost the connection", async () => {
      far.memory.close();
      // The client is back before its link is open. Then listener and reader are opened again.
      network.delay(60, reader + 2);
      const memory = startMemory(far.redis, { bytes: 1000 });
      far.redis.disconnect(true);
      await untilTracking(memory);
      expect(network.opened()).toBe(reader + 5);
      memory.close();
    });
  });

  it("two readings of one key are kept apart, and forgotten together", async () => {
    const { memory, redis, recall } = at(0);
    const fields: Reading<string, number> = {
      key: (name) => name,
      command: ["hlen"],
      parse: Number,
    };
    await redis.hset("a", { version: 3, other: 1 });
    await memory.settled();
    expect([await recall("a"), await memory.read(redis, fields, ["a"])]).toEqual([3, [2]]);
    expect([await recall("a"), await memory.read(redis, fields, ["a"])]).toEqual([3, [2]]);
    await redis.hset("a", { version: 4, third: 1 });
    await memory.settled();
    expect([await recall("a"), await memory.read(redis, fields, ["a"])]).toEqual([4, [3]]);
  });

  it("a memory stays within its bytes and forgets the oldest, and still hears of changes to the others", async () => {
    const small = await startProcess({ socket: started.socket }, 20_000);
    const names = Array.from({ length: 200 }, (_, number) => `many${number}`);
    for (const name of names) await small.recall(name);
    const { entries, bytes } = small.memory.stats();
    expect(bytes).toBeLessThanOrEqual(20_000);
    expect(entries).toBeGreaterThan(10);
    expect(entries).toBeLessThan(200);
    for (const name of names) await at(1).redis.hset(name, "version", 1);
    for (const name of names) while ((await small.recall(name)) !== 1) await sleep(1);
    stopProcess(small);
  });

  it("a memory is empty from the moment either connection breaks, and fills again later", async () => {
    const { memory, redis, recall } = at(0);
    for (const flag of ["t", "P"] as const) {
      await recall("a");
      for (const which of [0, 1, 2]) await killOneOf(redis as Redis, flag, which);
      await Promise.all(processes.map((one) => one.memory.settled()));
      for (const one of processes) expect(one.memory.stats().entries).toBe(0);
      await Promise.all(processes.map((one) => untilTracking(one.memory)));
      await recall("a");
      expect(memory.stats().entries).toBe(1);
    }
  });

  it("a memory answers every read while its connections are being cut", async () => {
    const { recall } = at(0);
    const { redis } = at(1);
    for (let round = 0; round < 40; round += 1) {
      const cut = Promise.all([0, 1, 2].map((nth) => killOneOf(redis as Redis, "t", nth)));
      // What was not asked before, at every turn of the event loop.
      for (let turn = 0; turn < 100; turn += 1) {
        expect(await recall(`unknown ${round} ${turn}`)).toBe(0);
        await new Promise(setImmediate);
      }
      await cut;
      await Promise.all(processes.map((one) => untilTracking(one.memory)));
    }
  });

  it("a memory of zero bytes keeps nothing", async () => {
    const { redis } = at(0);
    const none = startMemory(redis, { bytes: 0 });
    await redis.hset("a", "version", 5);
    expect(await none.read(redis, versionReading, ["a", "a"])).toEqual([
      { version: 5 },
      { version: 5 },
    ]);
    expect(none.stats()).toMatchObject({ entries: 0, tracking: false, hits: 0 });
    none.close();
  });

  it("a memory works without CLIENT TRACKING, and logs so once", async () => {
    const { redis } = at(0);
    await (redis as Redis).acl("SETUSER", "default", "-client|tracking");
    const refusals: string[] = [];
    const memory = startMemory(redis, {
      bytes: 1000,
      onRefused: (error) => void refusals.push(error.message),
    });
    while (refusals.length === 0) await sleep(10);
    await redis.hset("a", "version", 5);
    expect(await memory.read(redis, versionReading, ["a"])).toEqual([{ version: 5 }]);
    await redis.hset("a", "version", 6);
    expect(await memory.read(redis, versionReading, ["a"])).toEqual([{ version: 6 }]);
    expect(memory.stats()).toMatchObject({ tracking: false, entries: 0 });
    await sleep(1500);
    expect(refusals).toEqual([expect.stringContaining("NOPERM")]);
    memory.close();
    await (redis as Redis).acl("SETUSER", "default", "+client|tracking");
  });
});
