import { setTimeout as sleep } from "node:timers/promises";
import { Cluster } from "ioredis";
import { type DestinationStream, type Logger, pino } from "pino";
import { BadConfig, type Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import type { RedisClient } from "./redis/redis-client.ts";
import { raiseCounters } from "./domain/counters.ts";
import { contextWithDeadlines } from "./domain/deadline.ts";
import { folderTrouble } from "./domain/pictures/files.ts";
import { sayRarely } from "./domain/say-rarely.ts";
import { currentScope } from "./domain/scope.ts";
import { createQueues, type Queues } from "./jobs/queue.ts";
import { startWorkers, type Workers } from "./jobs/workers.ts";
import { startUpgrade } from "./migrations/migrate.ts";
import {
  type Address,
  connect,
  withoutSecrets,
  waitUntilReady,
  detectCluster,
  isClusterNode,
} from "./redis/client.ts";
import { describeError, type Guard, guard, keepPulse } from "./redis/guard.ts";
import { startMemory } from "./redis/memory.ts";
import { sessionSecret } from "./session-secret.ts";
import { notCompact, readServers } from "./redis/servers.ts";
import { openStorage } from "./storage/guard-storage.ts";
import { startSiteClock } from "./redis/clocks.ts";

/** Milliseconds that a process waits for Redis before it starts without; pages answer 503 until Redis is there. */
const patience = 5000;
/** Milliseconds to find out whether a single URL is that of a cluster. */
const kindPatience = 2000;

/** Milliseconds that a look at the problems waits for the version of the data. */
const upgradePatience = 500;

export interface Booted {
  ctx: Ctx;
  queues: Queues;
  /** The current problems of Redis and its data. */
  redis: Guard & { isCurrent(): boolean };
  /**
   * Resolves when the data has the version of this program: work may begin. Rejects if the data cannot be used, or is
   * that of a cluster which was away at the start; then the process must end.
   */
  current: Promise<void>;
  /** Starts the workers of this process; they end with `close`. */
  work(): Workers;
  /** Finishes running jobs, then disconnects from Redis. */
  close(): Promise<void>;
}

/**
 * Turns the configuration into a working context. Throws if the folder of pictures cannot be written, if Redis is
 * configured to lose data, or if its data is that of a newer program.
 */
export async function boot(settings: Config, given: Address): Promise<Booted> {
  const storage = openStorage(settings);
  const trouble = await folderTrouble({ storage, config: settings });
  if (trouble !== undefined)
    throw new BadConfig(
      `${trouble}. Give the folder DATA_DIR to the user that runs Suzume, or set BUCKET_URL.`,
    );
  const config = { ...settings, sessionSecret: await sessionSecret(settings) };
  const log = createLog(config);
  for (const warning of config.warnings) log.warn(warning);
  const shownAddress = withoutSecrets(given);
  const onError = (error: Error) => {
    const words = `Redis: ${describeError(error, shownAddress)}`;
    sayRarely(log, "error", { err: error }, words, { kind: "Redis" });
  };
  const address = await detectCluster(given, config, kindPatience);
  const redis = connect(address, "web", config, onError);
  // BullMQ adds some sixty scripts to its connection, which would slow down each of our pipelines.
  const queueRedis = connect(address, "queue", config, onError);
  const onWrongClock = (off: number) => {
    const about = { milliseconds: Math.round(off) };
    const pause = 3_600_000;
    sayRarely(log, "error", about, "this machine's clock is not that of Redis", { pause });
  };
  const clock = startSiteClock(redis, onWrongClock);
  const queues = createQueues(queueRedis, onError);
  const memory = startMemory(redis, {
    bytes: config.memoryBytes,
    idleMilliseconds: config.memoryIdleMilliseconds,
    onRefused(error) {
      log.warn(
        { err: error },
        "Redis refuses CLIENT TRACKING: everything is read anew, pages are slower",
      );
    },
  });
  const ctx: Ctx = { redis, memory, storage, jobs: queues, log, now: clock.now, config };
  keepCountersUp(contextWithDeadlines(ctx));
  const watch = guard(redis, {
    address: shownAddress,
    promises: async () => void (await queues.counts()),
    onChange(troubles) {
      if (troubles.length > 0) log.error({ troubles }, "Redis does not work as it should");
      else log.warn("Redis works as it should");
    },
  });
  void watch.well.then(() => adviseOnMemory(redis, log)).catch(() => {});
  const upgrade = startUpgrade(ctx);
  const current = Promise.all([upgrade.done, requireSingle(redis)]).then(() => undefined);
  const well = Promise.all([watch.well, current]).then(() => undefined);
  // Programs wait for `current`, and end if that fails.
  well.catch(() => {});
  const clients: RedisClient[] = [redis, queueRedis];
  const running: Workers[] = [];
  const stopPulse = keepPulse(clients, (node) => {
    log.error({ node }, "a connection to Redis was out of step and is opened anew");
  });
  const booted: Booted = {
    ctx,
    queues,
    redis: {
      ...watch,
      async look() {
        const troubles = await watch.look();
        // Most often a matter of milliseconds: what is said without it would be wrong a moment later.
        const settled = upgrade.done.catch(() => {});
        if (redis.status === "ready") await Promise.race([settled, sleep(upgradePatience)]);
        return troubles.length > 0 ? troubles : upgrade.troubles();
      },
      well,
      isCurrent: upgrade.isDone,
    },
    current,
    work() {
      const connection = connect(address, "worker", config, onError);
      const takesJobs = connect(address, "worker", config, onError);
      clients.push(connection, takesJobs);
      const workerCtx = { ...contextWithDeadlines(ctx), redis: connection };
      keepCountersUp(workerCtx);
      const workers = startWorkers(workerCtx, takesJobs);
      running.push(workers);
      return workers;
    },
    async close() {
      watch.stop();
      upgrade.stop();
      await Promise.all(running.map((workers) => workers.close()));
      await queues.close();
      clock.stop();
      memory.close();
      stopPulse();
      for (const client of clients) client.disconnect();
    },
  };
  const ready = await Promise.all(clients.map((one) => waitUntilReady(one, patience)));
  const troubles = await watch.look();
  if (watch.refusesWrites()) await orClose(booted, Promise.reject(new Error(troubles.join(" "))));
  if (ready.every(Boolean))
    await orClose(booted, Promise.race([current, sleep(patience, undefined, { ref: false })]));
  else log.error("Redis does not answer; going on without until it does");
  return booted;
}

/** Waits for the server, and throws if it is a node of a cluster: that was not known at the start, and needs another client. */
async function requireSingle(redis: RedisClient): Promise<void> {
  if (redis instanceof Cluster) return;
  await new Promise<void>((resolve) => void redis.once("ready", () => resolve()));
  if (await isClusterNode(redis).catch(() => false))
    throw new Error("REDIS_URL is one URL of a cluster that was away at the start: start again");
}

/** At the start, and when a server with lower counters may have taken over. `ctx`: that of requests or jobs. */
function keepCountersUp(ctx: Ctx): void {
  const raise = () => {
    raiseCounters(ctx).catch((error: unknown) => {
      sayRarely(ctx.log, "warn", { err: error }, "counters");
    });
  };
  for (const event of ["ready", "+node", "-node"]) ctx.redis.on(event, raise);
}

/** The result of `work`; if it fails, disconnects from Redis first, so that a private server can be stopped. */
export async function orClose<Result>(booted: Booted, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    await booted.close();
    throw error;
  }
}

/** Each line has the id of the request that it is about, also in a job that the request promised. */
const mixin = () => ({ request: currentScope.getStore()?.request });

/** Arguments of a failed command may be session ids or password hashes, so they are not logged. */
export function createLog(config: Config, destination?: DestinationStream): Logger {
  const redact = [
    "req.headers.cookie",
    "req.headers.authorization",
    'res.headers["set-cookie"]',
    "*.password",
    "*.pass",
    "err.command.args",
    "err.lastNodeError.command.args",
    "err.previousErrors[*].command.args",
  ];
  return pino({ level: config.logLevel, redact, mixin }, destination);
}

/** Tells the host once if Redis could hold the same data in less memory. */
async function adviseOnMemory(redis: RedisClient, log: Logger): Promise<void> {
  const servers = await readServers(redis);
  if (servers.some(({ isCompact }) => isCompact === false)) log.warn(notCompact);
}
