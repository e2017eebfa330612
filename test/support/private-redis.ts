import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPrivateServer } from "../../src/redis/private-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Socket of the Redis that lives as long as this run. */
    redisSocket: string;
    /** Addresses of the nodes of a cluster for each worker of the run; none unless it is on clusters. */
    redisClusters: string[][];
  }
}

/** Starts a real Redis for the run, on a folder that is gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const server = await startPrivateServer({ dataDir, databases: 64 });
  project.provide("redisSocket", server.socket);
  project.provide("redisClusters", []);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
