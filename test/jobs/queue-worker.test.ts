import { setTimeout as sleep } from "node:timers/promises";
import { type Job, Queue, Worker } from "bullmq";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { type QueueWorker, startQueueWorker, usualJobLimits } from "../../src/jobs/queue-worker.ts";
import { createQueues, queuePrefix } from "../../src/jobs/queue.ts";
import { redisClock } from "../../src/redis/clocks.ts";
import { startWorkers } from "../../src/jobs/workers.ts";
import { userId } from "../../src/domain/ids.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";

const patience = { timeout: 20_000, interval: 10 };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startWorld(): Promise<{ world: World; chores: Queue }> {
  const world = await createWorld({}, { workers: false });
  const chores = new Queue("chores", { connection: world.ctx.redis, prefix: queuePrefix });
  cleanups.push(async () => {
    await chores.close();
    await world.close();
  });
  return { world, chores };
}

function openClients(world: World): [RedisClient, RedisClient] {
  const clients = [1, 2].map(() => connectToTestRedis("worker", world.ctx.config));
  cleanups.push(async () => {
    for (const client of clients) client.disconnect();
  });
  return clients as [RedisClient, RedisClient];
}

/** A worker of chores that do what `run` does. */
function startChores(
  world: World,
  run: (job: Job) => Promise<void>,
  limits = {},
  onFailed: (job: Job, error: Error) => void = () => {},
): QueueWorker {
  const [redis, connection] = openClients(world);
  const worker = startQueueWorker({ ...world.ctx, redis }, connection, redisClock(redis), {
    name: "chores",
    concurrency: 2,
    run,
    onFailed,
    onError: () => {},
    limits: { ...usualJobLimits, ...limits },
  });
  cleanups.push(() => worker.close(false));
  return worker;
}

const nothing = { user: userId(1) };

describe("a job that hangs", () => {
  it("a job that hangs fails after its time limit, and its worker continues with others (R12)", async () => {
    const { world, chores } = await startWorld();
    const done: string[] = [];
    const failures: string[] = [];
    const run = async ({ name }: Job) => {
      if (name === "hangs") await new Promise(() => {});
      done.push(name);
    };
    startChores(world, run, { silence: 400 }, (_, error) => failures.push(error.message));
    const hanging = await Promise.all(
      [1, 2].map(() => chores.add("hangs", nothing, { attempts: 2, backoff: 10 })),
    );
    await chores.add("works", nothing);
    await vi.waitUntil(() => done.includes("works"), patience);
    await vi.waitUntil(async () => (await chores.getFailedCount()) === 2, patience);
    expect((await chores.getJob(hanging[0]?.id ?? ""))?.attemptsMade).toBe(2);
    // The worker tells of a failure after it is written.
    await vi.waitUntil(() => failures.length >= 4, patience);
    expect(failures).toHaveLength(4);
    expect(failures[0]).toMatch(/hung: nothing done for 0.4 s/);
  });
});

describe("a job of which only the id is left", () => {
  it("a job of which only the id is left is dropped and fails nothing", async () => {
    const { world, chores } = await startWorld();
    const empty = await chores.add("index-person", nothing);
    await chores.add("works", nothing);
    await world.ctx.redis.del(chores.toKey(empty.id ?? ""));
    const done: string[] = [];
    startChores(world, async ({ name }) => {
      done.push(name);
    });
    await vi.waitUntil(() => done.includes("works"), patience);
    await vi.waitUntil(async () => (await chores.getActiveCount()) === 0, patience);
    expect(done).toEqual(["works"]);
    expect(await chores.getFailedCount()).toBe(0);
  });
});

describe("a job that kills its workers", () => {
  it("a job that kills its workers is given up after twenty, and logged (R12)", async () => {
    const { world, chores } = await startWorld();
    const job = await chores.add("index-person", nothing, { attempts: 9 });
    // Nineteen workers have died of it; here is the twentieth, which holds no lock any more.
    await world.ctx.redis.hset(chores.toKey(job.id ?? ""), "stc", 20);
    await world.ctx.redis.lmove(chores.toKey("wait"), chores.toKey("active"), "LEFT", "RIGHT");
    await world.ctx.redis.sadd(chores.toKey("stalled"), job.id ?? "");
    const [redis, connection] = openClients(world);
    const workers = startWorkers({ ...world.ctx, redis }, connection);
    cleanups.push(() => workers.close());
    await vi.waitUntil(async () => (await job.getState()) === "failed", patience);
    await vi.waitUntil(
      () => world.logged.some((line) => line.includes("job failed for good")),
      patience,
    );
  });
});

describe("a job that is still running when its worker must close", () => {
  it("a job that runs while its worker closes goes back to the queue, and another worker takes it at once", async () => {
    const { world, chores } = await startWorld();
    const started = vi.fn<() => void>();
    const run = async () => {
      started();
      await new Promise(() => {});
    };
    const worker = startChores(world, run, { closing: 200 });
    const job = await chores.add("index-person", nothing);
    await vi.waitUntil(() => started.mock.calls.length === 1, patience);
    await worker.close(false);
    expect(await job.getState()).toBe("waiting");
    expect((await chores.getJob(job.id ?? ""))?.attemptsMade).toBe(0);
  });
});

describe("a job in an outage", () => {
  it("an outage does not count as a try, and the job is done when it is over (R13)", async () => {
    const { world, chores } = await startWorld();
    let isAway = true;
    const failed = vi.fn<() => void>();
    const run = async () => {
      if (isAway) throw new Error("CLUSTERDOWN Hash slot not served");
    };
    startChores(world, run, {}, failed);
    const job = await chores.add("index-person", nothing, { attempts: 2, backoff: 10 });
    await sleep(4500);
    const met = async () => await chores.getJob(job.id ?? "");
    expect((await met())?.attemptsStarted).toBeLessThan(10);
    await vi.waitUntil(async () => ((await met())?.attemptsStarted ?? 0) > 2, patience);
    expect((await met())?.attemptsMade).toBe(0);
    isAway = false;
    await vi.waitUntil(async () => (await job.getState()) === "completed", patience);
    expect(failed).not.toHaveBeenCalled();
  });

  it("a job that became a dead letter in an outage is replayed automatically (R13)", async () => {
    const { world, chores } = await startWorld();
    const outage = await chores.add("index-person", nothing, { removeOnComplete: false });
    const defect = await chores.add("no such chore", nothing);
    const token = "of another worker";
    const [redis, connection] = openClients(world);
    const past = new Worker("chores", null, { connection: redis, prefix: queuePrefix });
    for (const reason of ["OOM command not allowed", "a defect"])
      await (await past.getNextJob(token))?.moveToFailed(new Error(reason), token);
    await past.close();
    expect(await chores.getFailedCount()).toBe(2);
    const workers = startWorkers(
      { ...world.ctx, redis: connectToTestRedis("worker", world.ctx.config) },
      connection,
    );
    cleanups.push(() => workers.close());
    await vi.waitUntil(async () => (await outage.getState()) === "completed", patience);
    expect(await defect.getState()).toBe("failed");
  });
});

describe("a delayed chore", () => {
  const hour = 60 * 60 * 1000;

  it.each([-hour, hour])(
    "a delayed chore waits ten seconds where the promising clock is %d ms off (R15)",
    async (off) => {
      const { world, chores } = await startWorld();
      const ran = vi.fn<() => Promise<void>>(async () => {});
      const queues = createQueues(world.ctx.redis, () => {});
      cleanups.push(() => queues.close());
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + off });
      await queues.chore("index-person", { user: userId(1) }, "later");
      vi.useRealTimers();
      startChores(world, ran);
      const [job] = await chores.getDelayed();
      expect(Math.abs((job?.timestamp ?? 0) - Date.now())).toBeLessThan(5000);
      await sleep(1000);
      expect(ran).not.toHaveBeenCalled();
    },
  );

  it("a delayed chore waits ten seconds where the worker's clock is an hour ahead (R15)", async () => {
    const { world, chores } = await startWorld();
    const ran = vi.fn<() => Promise<void>>(async () => {});
    const queues = createQueues(world.ctx.redis, () => {});
    cleanups.push(() => queues.close());
    await queues.chore("index-person", { user: userId(1) }, "later");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hour });
    startChores(world, ran);
    await sleep(1000);
    expect(ran).not.toHaveBeenCalled();
    expect(await chores.getDelayedCount()).toBe(1);
  });
});
