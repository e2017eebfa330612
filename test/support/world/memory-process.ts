import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { parseConfig } from "../../../src/config.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { type Address, connect, waitUntilReady } from "../../../src/redis/client.ts";
import { startPrivateServer } from "../../../src/redis/private-server.ts";
import { type Memory, type Reading, startMemory } from "../../../src/redis/memory.ts";

/** A process's Redis connection and memory. */
export interface MemoryProcess {
  redis: RedisClient;
  memory: Memory;
  /** The number in a key, read through the memory; 0 if there is none. */
  recall(key: string): Promise<number>;
}

const config = parseConfig({ LOG_LEVEL: "silent" });

/** A field of a hash, which `ends` with its key. */
export const versionReading: Reading<string, { version: number }> = {
  key: (name) => name,
  command: ["hget", "version"],
  parse: (reply) => ({ version: Number(reply ?? 0) }),
  ends: true,
};

export async function startProcess(address: Address, bytes = 1_000_000): Promise<MemoryProcess> {
  const redis = connect(address, "web", config, () => {});
  await waitUntilReady(redis, 10_000);
  const memory = startMemory(redis, { bytes });
  await untilTracking(memory);
  return {
    redis,
    memory,
    async recall(key) {
      const [found] = await memory.read(redis, versionReading, [key]);
      return found?.version ?? Number.NaN;
    },
  };
}

/** Several processes on a private server of their own. */
export interface MemoryProcesses {
  socket: string;
  processes: MemoryProcess[];
  close(): Promise<void>;
}

export async function startProcesses(count: number): Promise<MemoryProcesses> {
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const server = await startPrivateServer({ dataDir });
  const { socket } = server;
  const starting = Array.from({ length: count }, () => startProcess({ socket }));
  const processes = await Promise.all(starting);
  return {
    socket,
    processes,
    async close() {
      for (const one of processes) stopProcess(one);
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function untilTracking({ stats }: Memory): Promise<void> {
  while (!stats().tracking) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function stopProcess({ redis, memory }: MemoryProcess): void {
  memory.close();
  redis.disconnect();
}

/** Kills connections of memories: those that read ("t") or those that listen ("P"). */
export async function killOneOf(redis: Redis, flag: "t" | "P", nth: number): Promise<void> {
  const clients = String(await redis.client("LIST")).split("\n");
  const ids = clients.flatMap((line) => {
    const [, id = "", flags = ""] = /^id=(\d+) .* flags=(\w+)/.exec(line) ?? [];
    return flags.includes(flag) ? [id] : [];
  });
  const id = ids[nth % ids.length];
  if (id !== undefined) await redis.client("KILL", "ID", id);
}
