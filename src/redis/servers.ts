import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

/**
 * Settings of Redis: a hash is compact while no value is longer than these bytes (default 64), a sorted set while it has
 * no more members (default 128). Measured with Redis 7.0: tweets take 212 bytes instead of 344, jobs 456 instead of
 * 1,040; a list of 1,000 takes 16 bytes a member instead of 102, and one more 24 µs instead of 3.
 */
export const compactSettings = {
  "hash-max-listpack-value": 2048,
  "zset-max-listpack-entries": 1024,
} as const;

const settings = Object.entries(compactSettings);

/** Advice for a host whose own Redis lacks the setting. */
export const notCompact =
  `tweets take two thirds of the memory, and lists a sixth, with ${settings.map((one) => one.join(" ")).join(" and ")}: ` +
  "set it in the configuration of Redis; data of before becomes compact when Redis restarts";

/** What a server of Redis says about itself. */
export type ServerStats = Awaited<ReturnType<typeof readServer>>;

/** The servers that take writes. */
export function primariesOf(redis: RedisClient): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** The names of all keys of a node, about `count` at a time; a name may come twice. */
export function scanNode(node: Redis, count: number): AsyncIterable<string[]> {
  return node.scanStream({ count });
}

/** Address of a node, without secrets. */
export function addressOf({ options: { path, host, port } }: Redis): string {
  return path ?? `${host ?? "localhost"}:${port ?? 6379}`;
}

/** The fields of INFO, or of one section of it. */
export async function infoOf(
  node: RedisClient,
  section = "default",
): Promise<Partial<Record<string, string>>> {
  const lines = (await node.info(section)).matchAll(/^(\w+):(.*?)\r?$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

/** All primaries. INFO, DBSIZE and CONFIG GET: their work does not grow with the data. */
export async function readServers(redis: RedisClient): Promise<ServerStats[]> {
  return await Promise.all(primariesOf(redis).map(readServer));
}

async function readServer(node: Redis) {
  const began = performance.now();
  await node.ping();
  const roundTripSeconds = (performance.now() - began) / 1000;
  const [info, keys, isCompact] = await Promise.all([
    infoOf(node),
    node.dbsize(),
    isCompactServer(node),
  ]);
  const bytes = (name: string) => Number(info[name] ?? 0);
  return {
    address: addressOf(node),
    version: info["redis_version"] ?? "?",
    roundTripSeconds,
    keys,
    usedBytes: bytes("used_memory"),
    /** Undefined: no limit. */
    maxBytes: bytes("maxmemory") || undefined,
    /** Of its append-only file, if there is one. */
    fileBytes: info["aof_enabled"] === "1" ? bytes("aof_current_size") : undefined,
    isCompact,
  };
}

/** Undefined if the provider hides the setting. */
export async function isCompactServer(node: Redis): Promise<boolean | undefined> {
  const values = await Promise.all(settings.map(([name]) => settingOf(node, name)));
  if (values.includes(undefined)) return undefined;
  return settings.every(([, least], nth) => Number(values[nth]) >= least);
}

/** Bytes that a value of a hash may have everywhere, if the hash is to be compact; the default where a provider hides it. */
export async function compactValueBytes(redis: RedisClient): Promise<number> {
  const name = "hash-max-listpack-value";
  const values = await Promise.all(primariesOf(redis).map((node) => settingOf(node, name)));
  return Math.min(...values.map((value) => value ?? 64));
}

/** A setting that is a number. Undefined if the provider hides it. */
export async function settingOf(node: Redis, name: string): Promise<number | undefined> {
  const [, value] = (await node.config("GET", name).catch(() => [])) as string[];
  return value === undefined ? undefined : Number(value);
}
