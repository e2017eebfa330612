import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPrivateServer } from "../../../src/redis/private-server.ts";

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
  const servers = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
      return { dataDir, server: await startPrivateServer({ dataDir }) };
    }),
  );
  project.provide(
    "redisSockets",
    servers.map(({ server }) => server.socket),
  );
  project.provide("redisClusters", []);
  return async () => {
    for (const { dataDir, server } of servers) {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  };
}
