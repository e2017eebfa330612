import { createLog } from "./boot.ts";
import type { Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import { createQueues, type Queues } from "./jobs/queue.ts";
import { type Address, connect, waitUntilReady, withKind, withoutSecrets } from "./redis/client.ts";
import { startMemory } from "./redis/memory.ts";
import { inWords } from "./redis/words.ts";
import { startPrivateServer } from "./redis/private-server.ts";

/** Milliseconds to wait for Redis. */
const patience = 10_000;
/** Milliseconds to find out whether a single URL is that of a cluster. */
const kindPatience = 3000;

export interface Opened {
  ctx: Ctx;
  queues: Queues;
  close(): Promise<void>;
}

/**
 * For programs that run beside the site or without it: connects to its Redis. A private one is started if it
 * does not run, and stopped afterwards unless another process uses it. Throws if it cannot be reached.
 */
export async function open(config: Config): Promise<Opened> {
  if (config.redisUrls.length > 0) return await openAt(config, { urls: config.redisUrls });
  const server = await startPrivateServer({ dataDir: config.dataDir });
  try {
    const opened = await openAt(config, { socket: server.socket });
    return {
      ...opened,
      async close() {
        await opened.close();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function openAt(config: Config, given: Address): Promise<Opened> {
  const log = createLog(config);
  let last: Error | undefined;
  const address = await withKind(given, config, kindPatience);
  // Waits through a short outage instead of giving up in the middle.
  const redis = connect(address, "tool", config, (error) => (last = error));
  // BullMQ adds some sixty scripts to its connection, which would slow down each of our pipelines.
  const queueRedis = connect(address, "tool", config, (error) => (last = error));
  const queues = createQueues(queueRedis, (error) => (last = error));
  const disconnect = () => {
    for (const client of [redis, queueRedis]) client.disconnect();
  };
  const opened: Opened = {
    // Uncached: the doctor needs the truth, and reads everything once.
    ctx: {
      redis,
      memory: startMemory(redis, { bytes: 0 }),
      jobs: queues,
      log,
      now: Date.now,
      config,
    },
    queues,
    async close() {
      await queues.close();
      disconnect();
    },
  };
  if ((await waitUntilReady(redis, patience)) && (await waitUntilReady(queueRedis, patience)))
    return opened;
  disconnect();
  throw new Error(inWords(last ?? new Error("timed out"), withoutSecrets(address)));
}
