import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePorts } from "./ports.ts";
import { launchRedis, type RedisServer } from "./redis-server.ts";

/** Where a node listens, and the address that other nodes and clients get. */
export interface Place {
  port: number;
  busPort: number;
  /** Ports of a proxy in front of the node; default: the node's own. */
  announced?: { port: number; busPort: number };
  /** Address from which the node calls the others. */
  source?: string;
}

export interface ClusterNode extends RedisServer {
  id: string;
  /** The address that clients get. */
  url: string;
  place: Place;
  /** A direct connection to the node, without a proxy. Waits while the node is away. */
  client: Redis;
  /** Starts it again after a kill, in the same folder. */
  restart(): void;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** Milliseconds without an answer after which a node counts as failing. */
  nodeTimeout?: number;
  /** More arguments of redis-server, such as "--appendonly", "yes". */
  flags?: (string | number)[];
  env?: Record<string, string>;
}

/** A node that knows no other yet. */
export async function startNode(
  dir: string,
  place: Place,
  options: NodeOptions,
): Promise<ClusterNode> {
  const folder = join(dir, String(place.port));
  await mkdir(folder);
  const flags = [...flagsOf(place, options), "--dir", folder];
  let server = launchRedis(flags, options.env);
  const client = new Redis({
    port: place.port,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  client.on("error", () => {});
  const shown = place.announced ?? place;
  return {
    id: String(await client.call("CLUSTER", "MYID")),
    url: `redis://127.0.0.1:${shown.port}`,
    place,
    client,
    kill: () => server.kill(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    restart: () => void (server = launchRedis(flags, options.env)),
    async stop() {
      client.disconnect();
      await server.kill();
    },
  };
}

function flagsOf(place: Place, options: NodeOptions): (string | number)[] {
  const { port, busPort, announced, source } = place;
  const flags = ["--port", port, "--cluster-port", busPort, "--bind", "127.0.0.1"];
  flags.push("--cluster-enabled", "yes", "--cluster-node-timeout", options.nodeTimeout ?? 2000);
  // Replicas synchronize at once rather than after five seconds.
  flags.push("--repl-diskless-sync-delay", 0);
  if (source !== undefined) flags.push("--bind-source-addr", source);
  if (announced !== undefined) {
    flags.push("--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", announced.port);
    flags.push("--cluster-announce-bus-port", announced.busPort);
  }
  return [...flags, ...(options.flags ?? [])];
}

export async function freePlaces(count: number): Promise<Place[]> {
  const ports = await freePorts(count * 2);
  return Array.from({ length: count }, (_, nth) => ({
    port: ports[nth] ?? 0,
    busPort: ports[nth + count] ?? 0,
  }));
}
