import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { createQueues } from "../../src/jobs/queue.ts";
import { startWorkers } from "../../src/jobs/workers.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { startMemory } from "../../src/redis/memory.ts";
import { keys } from "../../src/redis/keys.ts";
import { connectToTestRedis, type World } from "../support/world/world.ts";

/** Cleanups of a test, run in reverse order. */
export type Cleanups = (() => Promise<unknown>)[];

/** A context with workers on the test's own Redis. */
export async function startContextWithWorkers(cleanups: Cleanups, urls: string[]) {
  const config = parseConfig({ LOG_LEVEL: "info" });
  const open = (profile: "web" | "worker") => {
    const client = connect({ urls }, profile, config, () => {});
    cleanups.push(async () => client.disconnect());
    return client;
  };
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
  const redis = open("web");
  const connection = open("web");
  for (const client of [redis, connection]) await waitUntilReady(client, 10_000);
  const jobs = createQueues(connection, () => {});
  const memory = startMemory(redis, { bytes: config.memoryBytes });
  cleanups.push(async () => memory.close());
  const ctx: Ctx = { redis, memory, storage: undefined, jobs, log, now: Date.now, config };
  const workers = startWorkers({ ...ctx, redis: open("worker") }, open("worker"));
  cleanups.push(async () => {
    await workers.close();
    await jobs.close();
  });
  return { ctx, logged, clients: [redis, connection] };
}

/** Resolves once the tweet is in the reader's home; fails by the test's time limit. */
export async function untilDelivered(ctx: Ctx, reader: UserId, tweet: TweetId): Promise<void> {
  while ((await ctx.redis.zscore(keys.homeTimeline(reader), tweet)) === null) await sleep(10);
}

/** Another worker process's workers on the database of a world. */
export function startMoreWorkers(cleanups: Cleanups, { ctx }: Pick<World, "ctx">): void {
  const open = () => connectToTestRedis("worker", ctx.config);
  const [redis, connection] = [open(), open()];
  const workers = startWorkers({ ...ctx, redis }, connection);
  cleanups.push(async () => {
    await workers.close();
    redis.disconnect();
    connection.disconnect();
  });
}
