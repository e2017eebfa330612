import { Redis } from "ioredis";
import type { TestProject } from "vitest/node";
import { launchOnSocket, type SocketServer } from "./redis-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * Sockets of the Redis of each worker; they live as long as this run. What one server is told to forget or to
     * change in one database, it tells the memories of all others as well.
     */
    redisSockets: string[];
    /** Addresses of the nodes of a cluster for each worker of the run; none unless it is on clusters. */
    redisClusters: string[][];
  }
}

/** Starts a real Redis for each worker of the run, on folders that are gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await Promise.all(Array.from({ length: project.config.maxWorkers }, startServer));
  project.provide(
    "redisSockets",
    servers.map(({ path }) => path),
  );
  project.provide("redisClusters", []);
  return async () => {
    await Promise.all(servers.map((server) => server.kill()));
  };
}

/** Without an append-only file: every write of a test would go to the disk as well. */
async function startServer(): Promise<SocketServer> {
  const server = await launchOnSocket();
  const retrying = { retryStrategy: () => 20, maxRetriesPerRequest: null };
  const client = new Redis({ path: server.path, ...retrying });
  client.on("error", () => {});
  await client.ping();
  client.disconnect();
  return server;
}
