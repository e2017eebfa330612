import { createLog } from "./boot.ts";
import type { Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import { createQueues } from "./jobs/queue.ts";
import { connect, detectCluster, waitUntilReady, withoutSecrets } from "./redis/client.ts";
import { describeError } from "./redis/guard.ts";
import { startMemory } from "./redis/memory.ts";
import { openStorage } from "./storage/guard-storage.ts";
import { startPrivateServer } from "./redis/private-server.ts";

/** Milliseconds to wait for Redis. */
const patience = 10_000;
/** Milliseconds to wait for a file: nobody waits for a page. */
const storagePatience = 30_000;
/** Milliseconds to find out whether a single URL is that of a cluster. */
const kindPatience = 3000;

export type Opened = Awaited<ReturnType<typeof open>>;

/**
 * For programs that run beside the site or without it: connects to its Redis. A private one is started if it
 * does not run, and stopped afterwards unless another process uses it. Throws if it cannot be reached.
 */
export async function open(config: Config, profile: "tool" | "doctor" = "tool") {
  const urls = config.redisUrls;
  const server = urls.length > 0 ? undefined : await startPrivateServer(config);
  const named = server === undefined ? { urls } : { socket: server.socket };
  const address = await detectCluster(named, config, kindPatience);
  let last: Error | undefined;
  const onError = (error: Error) => (last = error);
  // Waits through a short outage instead of giving up in the middle.
  const redis = connect(address, profile, config, onError);
  // BullMQ adds some sixty scripts to its connection, which would slow down each of our pipelines.
  const queueRedis = connect(address, "tool", config, onError);
  const queues = createQueues(queueRedis, onError);
  const disconnect = async () => {
    redis.disconnect();
    queueRedis.disconnect();
    await server?.stop();
  };
  if (!(await waitUntilReady(redis, patience)) || !(await waitUntilReady(queueRedis, patience))) {
    await disconnect();
    throw new Error(describeError(last ?? new Error("timed out"), withoutSecrets(address)));
  }
  // Uncached: the doctor needs the truth, and reads everything once.
  const memory = startMemory(redis, { bytes: 0 });
  const storage = openStorage(config, storagePatience);
  const log = createLog(config);
  const ctx: Ctx = { redis, memory, storage, jobs: queues, log, now: Date.now, config };
  const close = async () => {
    await queues.close();
    await disconnect();
  };
  return { ctx, queues, close };
}
