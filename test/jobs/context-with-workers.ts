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

/** What a test runs when it is over, the last first. */
export type Cleanups = (() => Promise<unknown>)[];

/** A context and its workers on a Redis of the test's own. */
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
  const ctx: Ctx = { redis, memory, jobs, log, now: Date.now, config };
  const workers = startWorkers({ ...ctx, redis: open("worker") }, open("worker"));
  cleanups.push(async () => {
    await workers.close();
    await jobs.close();
  });
  return { ctx, logged, clients: [redis, connection] };
}

/** Until the tweet is in the reader's home; fails by the test's own time limit. */
export async function untilDelivered(ctx: Ctx, reader: UserId, tweet: TweetId): Promise<void> {
  while ((await ctx.redis.zscore(keys.homeTimeline(reader), tweet)) === null) await sleep(10);
}
