import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { launchRedis, type RedisServer } from "./redis-server.ts";

/** Where a node listens, and where the others and the clients are told that it does. */
export interface Place {
  port: number;
  busPort: number;
  /** Ports of something in between; missing: the node's own. */
  announced?: { port: number; busPort: number };
  /** Address from which the node calls the others. */
  source?: string;
}

export interface ClusterNode extends RedisServer {
  id: string;
  /** The address that clients are told. */
  url: string;
  place: Place;
  /** Talks to the node itself, past anything in between. Waits while the node is away. */
  client: Redis;
  /** Starts it again after a kill, on what its folder holds. */
  restart(): void;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** Milliseconds without an answer after which a node counts as failing. */
  nodeTimeout?: number;
  /** More of redis-server's settings, such as "--appendonly", "yes". */
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
  // Replicas are in step at once rather than after five seconds.
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

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => new Promise((ok) => server.once("listening", ok))));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((ok) => server.close(ok))));
  return ports;
}
