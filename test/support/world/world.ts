import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue } from "bullmq";
import express, { type Express } from "express";
import { Redis } from "ioredis";
import { createLog } from "../../../src/boot.ts";
import { type Config, parseConfig } from "../../../src/config.ts";
import type { Ctx } from "../../../src/context.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import { createQueues, queuePrefix, type Queues } from "../../../src/jobs/queue.ts";
import { startWorkers } from "../../../src/jobs/workers.ts";
import { type ClientProfile, connect, waitUntilReady } from "../../../src/redis/client.ts";
import { openStorage } from "../../../src/storage/guard-storage.ts";
import { type AppOptions, createApp } from "../../../src/web/app.ts";
import type { Languages } from "../../../src/web/languages/translator.ts";
import { type Memory, startMemory } from "../../../src/redis/memory.ts";
import { emptyRedis, testAddress } from "./test-redis.ts";
import { Visitor } from "../actors/visitor.ts";

/** A whole Suzume on an empty database of this worker's Redis. */
export interface World {
  ctx: Ctx;
  app: Express;
  queues: Queues;
  /** Every line that was logged. */
  logged: string[];
  /** Has the folder of the pictures. */
  dataDir: string;
  /** Moves Suzume's clock forward. */
  pass(milliseconds: number): void;
  /** The clock of the site stands still while `work` runs. */
  atOneMoment(work: () => Promise<void>): Promise<void>;
  /** A browser without a session; `languages` is its Accept-Language. */
  visitor(languages?: string): Visitor;
  /** A browser of a new user, signed in. */
  newcomer(name: string, languages?: string): Promise<Visitor>;
  /** Resolves once everything that was posted has been delivered. */
  delivered(): Promise<void>;
  close(): Promise<void>;
}

export const secret = "a secret that only tests use, of enough length";

/** Options of createApp. */
export const appOptions: AppOptions = { secret };

/** `workers`: false if the test runs jobs itself. `languages`: those of the site by default. */
export async function createWorld(
  settings: Partial<Config> = {},
  { workers = true, ...spoken }: { workers?: boolean; languages?: Languages } = {},
): Promise<World> {
  // Hashing is cheap here; the real cost has its own tests.
  // Limits have their own tests. A loaded machine is slow.
  // Users of tests are all on their first day.
  const quick = {
    bcryptCost: 4,
    limitFactor: 10_000,
    firstDayShare: 1,
    answerMilliseconds: 20_000,
    // Without workers, pictures are never converted.
    ...(!workers && { pictureMilliseconds: 1000 }),
    sessionSecret: secret,
  };
  const config: Config = { ...parseConfig({ LOG_LEVEL: "info" }), ...quick, ...settings };
  const clients: RedisClient[] = [];
  const open = async (profile: ClientProfile) => {
    const client = connectToTestRedis(profile, config);
    clients.push(client);
    await waitUntilReady(client, 5000);
    return client;
  };
  const redis = await open("web");
  await emptyRedis(redis);

  const logged: string[] = [];
  const log = createLog(config, { write: (line) => void logged.push(line) });
  let shift = 0;
  let stopped: number | undefined;
  const now = () => (stopped ?? Date.now()) + shift;
  // BullMQ's scripts would slow down each pipeline of the site: see boot.ts.
  const queueRedis = await open("queue");
  const jobs = createQueues(queueRedis, () => {});
  // Reads of the test and of pages share one memory.
  const memory = await openMemory(redis, config);
  const folder = join(tmpdir(), `suzume-pictures-${randomUUID()}`);
  const storage = openStorage({ ...config, dataDir: folder });
  const ctx = contextWithDeadlines({ redis, memory, storage, jobs, log, now, config });
  const running = workers
    ? startWorkers({ ...ctx, redis: await open("worker") }, await open("worker"))
    : undefined;
  // Pages show what a test has written directly, however slow the machine is.
  const site: RequestListener = (req, res) =>
    void memory.settled().then(() => world.app(req, res) as unknown);
  const spreads = new Queue("spread", { connection: queueRedis, prefix: queuePrefix });
  const deliveries = new Queue("deliver", { connection: queueRedis, prefix: queuePrefix });

  const world: World = {
    ctx,
    app: createApp(ctx, { ...appOptions, ...spoken }),
    queues: jobs,
    logged,
    dataDir: folder,
    pass: (milliseconds) => void (shift += milliseconds),
    async atOneMoment(work) {
      stopped = Date.now();
      try {
        await work();
      } finally {
        stopped = undefined;
      }
    },
    visitor: (languages) => new Visitor(site, languages),
    async newcomer(name, languages) {
      const visitor = new Visitor(site, languages);
      // Names in ADMINS cannot sign up, so ADMINS is empty meanwhile.
      const { admins } = config;
      config.admins = [];
      await visitor.signUp(name);
      config.admins = admins;
      return visitor;
    },
    async delivered() {
      for (const queue of [deliveries, spreads])
        while ((await queue.getJobCountByTypes("waiting", "active", "delayed")) > 0)
          await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async close() {
      await running?.close();
      await deliveries.close();
      await spreads.close();
      await jobs.close();
      memory.close();
      for (const client of clients) client.disconnect();
      await rm(folder, { recursive: true, force: true });
      // The run remembers each world to its end, so little may be left of it.
      world.app = express();
    },
  };
  return world;
}

/** A memory that is connected to the notices of changes, if it may keep anything. */
export async function openMemory(redis: RedisClient, config: Config): Promise<Memory> {
  const memory = startMemory(redis, { bytes: config.memoryBytes });
  while (config.memoryBytes > 0 && !memory.stats().tracking)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return memory;
}

/** Each worker of the run has a database, or a cluster, of its own. */
export function connectToTestRedis(profile: ClientProfile, config: Config): RedisClient {
  const client = connect(testAddress(), profile, config, () => {});
  // A loaded machine is slow. Tests of a silent Redis have clients and processes of their own.
  if (client instanceof Redis && client.options.commandTimeout !== undefined)
    Object.assign(client.options, { commandTimeout: 20_000, socketTimeout: 25_000 });
  return client;
}
