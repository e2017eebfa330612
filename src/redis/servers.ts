import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

/** What a server of Redis says about itself. */
export interface ServerStats {
  /** Its address, without secrets. */
  address: string;
  version: string;
  keys: number;
  usedBytes: number;
  /** Undefined: no limit. */
  maxBytes: number | undefined;
  /** Size of its append-only file; undefined: there is none. */
  fileBytes: number | undefined;
}

/** All primaries. INFO and DBSIZE: their work does not grow with the data. */
export async function readServers(redis: RedisClient): Promise<ServerStats[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  return await Promise.all(nodes.map(readServer));
}

async function readServer(node: Redis): Promise<ServerStats> {
  const { path, host, port } = node.options;
  const [info, keys] = await Promise.all([node.info(), node.dbsize()]);
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const bytes = (name: string) => Number(field(name) ?? 0);
  return {
    address: path ?? `${host ?? "localhost"}:${port ?? 6379}`,
    version: field("redis_version") ?? "?",
    keys,
    usedBytes: bytes("used_memory"),
    maxBytes: bytes("maxmemory") || undefined,
    fileBytes: field("aof_enabled") === "1" ? bytes("aof_current_size") : undefined,
  };
}
