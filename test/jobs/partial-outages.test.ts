import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import calculateSlot from "cluster-key-slot";
import { afterEach, describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { startCluster } from "../support/world/cluster.ts";
import { type Cleanups, startContextWithWorkers, untilDelivered } from "./context-with-workers.ts";
import { newPeople } from "../support/actors/people.ts";
import { freePort } from "../support/world/ports.ts";
import { launchRedis } from "../support/world/redis-server.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe("workers in an outage", () => {
  // Six servers on a busy machine: a command of the test itself may time out.
  it(
    "in an outage of some keys workers do other jobs, give none up, and finish all when it is over (R13)",
    { retry: 1 },
    async () => {
      const cluster = await startCluster();
      cleanups.push(() => cluster.stop());
      for (const { client } of cluster.nodes)
        await client.config("SET", "cluster-require-full-coverage", "no");
      const { ctx } = await startContextWithWorkers(cleanups, cluster.urls);
      const [author, other, fan] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
      await follow(ctx, { follower: fan, followee: author });
      const slot = calculateSlot(keys.homeTimeline(fan));
      const { primary } = await cluster.shardOf(keys.homeTimeline(fan));
      for (const { client } of cluster.nodes) await client.cluster("DELSLOTS", slot);
      const tweet = await postTweet(ctx, author, { text: "for the fan" });
      const chores = new Queue("chores", { connection: ctx.redis, prefix: queuePrefix });
      const deliveries = new Queue("deliver", { connection: ctx.redis, prefix: queuePrefix });
      cleanups.push(() => chores.close());
      cleanups.push(() => deliveries.close());
      // With a single try it fails for good at once, if this outage were its failure.
      const once = { attempts: 1, removeOnComplete: false };
      const job = await deliveries.add("deliver", { tweet }, once);
      while (((await deliveries.getJob(job.id ?? ""))?.attemptsStarted ?? 0) < 2) await sleep(50);
      expect(await job.getState()).toMatch(/delayed|active|waiting/);
      const unaffected = await postTweet(ctx, other, { text: "meanwhile" });
      await untilDelivered(ctx, other, unaffected);
      for (const { client } of cluster.nodes)
        if (client === primary.client) await client.cluster("ADDSLOTS", slot);
      await untilDelivered(ctx, fan, tweet);
      while ((await job.getState()) !== "completed") await sleep(50);
      expect(await deliveries.getFailedCount()).toBe(0);
    },
  );

  it("in a full memory workers neither log nor ask without a pause, and continue by themselves afterwards (R6, R13)", async () => {
    const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(dir, { recursive: true, force: true }));
    const port = await freePort();
    const server = launchRedis(["--port", port, "--bind", "127.0.0.1", "--dir", dir]);
    cleanups.push(() => server.kill());
    const { ctx, logged } = await startContextWithWorkers(cleanups, [`redis://127.0.0.1:${port}`]);
    const [author, fan] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: fan, followee: author });
    const deliveries = new Queue("deliver", { connection: ctx.redis, prefix: queuePrefix });
    cleanups.push(() => deliveries.close());
    const tweet = await postTweet(ctx, author, { text: "last" });
    const many = Array.from({ length: 200 }, () => ({ name: "deliver", data: { tweet } }));
    for (let nth = 0; nth < 10; nth += 1) await deliveries.addBulk(many);
    await ctx.redis.config("SET", "maxmemory", 1);
    await ctx.redis.config("RESETSTAT");
    const before = logged.length;
    expect(await deliveries.getWaitingCount()).toBeGreaterThan(0);
    await sleep(4000);
    const calls = await ctx.redis.info("stats");
    expect(Number(/total_commands_processed:(\d+)/.exec(calls)?.[1])).toBeLessThan(2000);
    expect(logged.slice(before).length).toBeLessThan(30);
    await ctx.redis.config("SET", "maxmemory", 0);
    while ((await deliveries.getJobCountByTypes("waiting", "active", "delayed")) > 0)
      await sleep(100);
    await untilDelivered(ctx, fan, tweet);
    expect(await deliveries.getFailedCount()).toBe(0);
  });
});
