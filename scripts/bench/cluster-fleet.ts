import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { Ctx } from "../../src/context.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { startCluster } from "../../test/support/world/cluster.ts";
import { freePort } from "../../test/support/world/ports.ts";
import { launchRedis } from "../../test/support/world/redis-server.ts";
import type { Lab } from "./lab.ts";
import { processorTime } from "./processor-time.ts";

/** Servers that hold a site together: a cluster without replicas, or one server. */
export interface Fleet {
  /** Runs `work` with a client of a worker that is ready, and ends the client. */
  use<Result>(work: (ctx: Ctx) => Promise<Result>): Promise<Result>;
  /** Milliseconds of all servers together. */
  processorTime(): Promise<number>;
  stop(): Promise<void>;
}

/** As a site runs them. A rewrite of the file would count for the deliveries that are measured meanwhile. */
const flags = ["--appendonly", "yes", "--auto-aof-rewrite-percentage", 0];

/** A node that has met no other does not know its address. */
const alone = ["--cluster-announce-ip", "127.0.0.1"];

/** `primaries`: 0 for a server that is not in cluster mode. */
export async function startFleet(lab: Lab, primaries: number): Promise<Fleet> {
  const { urls, nodes, stop } =
    primaries === 0
      ? await startSingle()
      : await startCluster({ primaries, flags: [...flags, ...alone] });
  lab.onClose(stop);
  return {
    async use(work) {
      const address = { urls, cluster: primaries > 0 };
      const redis = connect(address, "worker", lab.ctx.config, (error) => lab.ctx.log.error(error));
      await waitUntilReady(redis, 10_000);
      try {
        return await work({ ...lab.ctx, redis });
      } finally {
        redis.disconnect();
      }
    },
    async processorTime() {
      const seconds = await Promise.all(nodes.map(({ client }) => processorTime(client)));
      return 1000 * seconds.reduce((sum, some) => sum + some, 0);
    },
    stop,
  };
}

/** Over TCP, as the nodes of a cluster are. */
async function startSingle() {
  const dir = await mkdtemp(join(tmpdir(), "suzume-single-"));
  const port = await freePort();
  const server = launchRedis(["--port", port, "--bind", "127.0.0.1", "--dir", dir, ...flags]);
  const client = new Redis({ port, maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on("error", () => {});
  await client.ping();
  return {
    urls: [`redis://127.0.0.1:${port}`],
    nodes: [{ client }],
    async stop() {
      client.disconnect();
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
