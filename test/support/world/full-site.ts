import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import { pino } from "pino";
import { parseConfig } from "../../../src/config.ts";
import type { Ctx } from "../../../src/context.ts";
import { createQueues, type Queues } from "../../../src/jobs/queue.ts";
import { startWorkers } from "../../../src/jobs/workers.ts";
import { connect, type ClientProfile, waitUntilReady } from "../../../src/redis/client.ts";
import { startPrivateServer } from "../../../src/redis/private-server.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { createApp } from "../../../src/web/app.ts";
import { Visitor } from "../actors/visitor.ts";
import { appOptions, openMemory } from "./world.ts";

/** A site with workers and a Redis of its own, whose memory can be full. */
export interface FullSite {
  ctx: Ctx;
  queues: Queues;
  app: Express;
  newcomer(name: string): Promise<Visitor>;
  /** Another browser of a user. */
  visitorOf(name: string): Promise<Visitor>;
  /** Redis has no room until `work` is over. */
  whileFull(work: () => Promise<void>): Promise<void>;
  /** Number of jobs that are neither done nor failed. */
  promised(): Promise<number>;
  /** Resolves once no such job is left. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function openFullSite(env: NodeJS.ProcessEnv = {}): Promise<FullSite> {
  const config = { ...parseConfig(env), bcryptCost: 4 };
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const server = await startPrivateServer({ dataDir });
  const clients: RedisClient[] = [];
  const open = async (profile: ClientProfile) => {
    const client = connect({ socket: server.socket }, profile, config, () => {});
    clients.push(client);
    await waitUntilReady(client, 5000);
    return client;
  };
  const redis = await open("web");
  const queues = createQueues(redis, () => {});
  const log = pino({ level: "silent" });
  const memory = await openMemory(redis, config);
  const ctx = { redis, memory, storage: undefined, jobs: queues, log, now: Date.now, config };
  const app = createApp(ctx, appOptions);
  const workers = startWorkers({ ...ctx, redis: await open("worker") }, await open("worker"));
  const promised = async () => {
    const counts = await queues.counts();
    const alive = counts.filter(({ state }) => state !== "failed");
    return alive.reduce((sum, { count }) => sum + count, 0);
  };
  return {
    ctx,
    queues,
    app,
    promised,
    async newcomer(name) {
      const visitor = new Visitor(app);
      await visitor.signUp(name);
      return visitor;
    },
    async visitorOf(name) {
      const visitor = new Visitor(app);
      await visitor.logIn(name);
      return visitor;
    },
    async whileFull(work) {
      await redis.config("SET", "maxmemory", "1");
      try {
        await work();
      } finally {
        await redis.config("SET", "maxmemory", "0");
      }
    },
    async settled() {
      for (let tries = 0; tries < 600; tries += 1) {
        // What can wait is done now.
        await Promise.all(queues.all().map((queue) => queue.promoteJobs()));
        if ((await promised()) === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error("jobs are left");
    },
    async close() {
      await workers.close();
      await queues.close();
      for (const client of clients) client.disconnect();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
