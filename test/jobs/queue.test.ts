import { Queue, Worker } from "bullmq";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.ts";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { createQueues, queuePrefix } from "../../src/jobs/queue.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { freePort } from "../support/world/ports.ts";
import { launchRedis } from "../support/world/redis-server.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { findKeys } from "../support/world/redis-nodes.ts";

describe("promises of work", () => {
  let world: World;
  let deliveries: Queue;
  let chores: Queue;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const options = { connection: world.ctx.redis, prefix: queuePrefix };
    deliveries = new Queue("deliver", options);
    chores = new Queue("chores", options);
  });
  afterAll(async () => {
    await deliveries.close();
    await chores.close();
    await world.close();
  });

  it("scheduled tweets do not wait for chores that were promised before", async () => {
    const { jobs } = world.ctx;
    for (const user of [1, 2, 3]) await jobs.chore("index-person", { user: userId(user) });
    await jobs.chore("send-drafts", {});
    const [first] = await chores.getJobs(["waiting"], 0, 0, true);
    expect(first?.name).toBe("send-drafts");
    await chores.drain();
  });

  it("a delivery is promised once, however often it is asked for", async () => {
    await Promise.all([1, 2, 3].map(() => world.ctx.jobs.deliverTweet(tweetId(7))));
    await world.ctx.jobs.deliverTweet(tweetId(8));
    const jobs = await deliveries.getWaiting();
    expect(jobs.map((job) => job.data as unknown)).toEqual(
      expect.arrayContaining([{ tweet: "7" }, { tweet: "8" }]),
    );
    expect(jobs).toHaveLength(2);
  });

  it("a second delivery of a tweet is promised, though the first was done within the hour", async () => {
    const again = tweetId(10);
    await world.ctx.jobs.deliverTweet(again);
    await finish("deliver");
    await world.ctx.jobs.deliverTweet(again);
    expect(await deliveries.getWaitingCount()).toBe(0);
    await world.ctx.jobs.deliverTweet(again, "again");
    expect(await deliveries.getWaitingCount()).toBe(1);
  });

  it("a second delivery spreads to the pages of followers that come later, too", async () => {
    const spreads = new Queue("spread", { connection: world.ctx.redis, prefix: queuePrefix });
    await world.ctx.jobs.spreadTweet(tweetId(11), 5);
    await finish("spread");
    await world.ctx.jobs.deliverTweet(tweetId(11), "again");
    await world.ctx.jobs.spreadTweet(tweetId(11), 6);
    expect((await spreads.getWaiting()).map(({ data }) => data as unknown)).toEqual([
      { tweet: "11", after: 6 },
    ]);
    await spreads.close();
  });

  /** Every waiting job of a queue is done. */
  async function finish(queue: string): Promise<void> {
    const worker = new Worker(queue, null, { connection: world.ctx.redis, prefix: queuePrefix });
    for (let job = await worker.getNextJob("test"); job; job = await worker.getNextJob("test"))
      await job.moveToCompleted(undefined, "test", false);
    await worker.close();
  }

  it("each reconciliation of a follow is promised separately, 10 s later", async () => {
    const edge = { follower: userId(1), followee: userId(2) };
    await world.ctx.jobs.chore("reconcile-follow", edge, "later");
    await world.ctx.jobs.chore("reconcile-follow", edge, "later");
    const jobs = await chores.getDelayed();
    expect(jobs.map((job) => job.data as unknown)).toEqual([edge, edge]);
    expect(jobs.map((job) => job.opts.delay)).toEqual([10_000, 10_000]);
  });

  it("a failing job is retried for minutes, and kept if all tries fail", async () => {
    await world.ctx.jobs.deliverTweet(tweetId(9));
    const job = await deliveries.getJob("tweet-9");
    expect(job?.opts).toMatchObject({
      attempts: 9,
      backoff: { type: "exponential", delay: 1000 },
      removeOnFail: false,
    });
  });

  it("all jobs are in one slot of a cluster", async () => {
    const names = await findKeys(world.ctx.redis, "*");
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !name.startsWith(`${queuePrefix}:`))).toEqual([]);
  });

  it("promising a job fails within 3 s while Redis is away", async () => {
    const address = { socket: "/nowhere/redis.sock" };
    const nowhere = connect(address, "web", world.ctx.config, () => {});
    const queues = createQueues(nowhere, () => {});
    const began = performance.now();
    await expect(queues.deliverTweet(tweetId(1))).rejects.toThrow(Unavailable);
    const edge = { follower: userId(1), followee: userId(2) };
    await expect(queues.chore("reconcile-follow", edge)).rejects.toThrow(Unavailable);
    expect(performance.now() - began).toBeLessThan(3000);
    nowhere.disconnect();
  });

  it("a job can be promised again if Redis was lost at the first moment", async () => {
    const port = await freePort();
    const flags = ["--port", port, "--bind", "127.0.0.1"];
    const address = { urls: [`redis://127.0.0.1:${port}`] };
    let server = launchRedis(flags);
    const connection = connect(address, "web", world.ctx.config, () => {});
    await waitUntilReady(connection, 5000);
    const queues = createQueues(connection, () => {});
    await server.kill();
    await expect(queues.deliverTweet(tweetId(1))).rejects.toThrow(/job queue|retries|closed/);
    server = launchRedis(flags);
    await waitUntilReady(connection, 5000);
    await queues.deliverTweet(tweetId(1));
    await queues.chore("reconcile-follow", { follower: userId(1), followee: userId(2) });
    await queues.close();
    connection.disconnect();
    await server.kill();
  });
});
