import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { afterEach, describe, expect, it } from "vitest";
import type { Config } from "../../src/config.ts";
import { type TweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { isOutage } from "../../src/domain/outage.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import { startCluster } from "../support/world/cluster.ts";
import { newPeople, readHomeIds } from "../support/actors/people.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import {
  type Cleanups,
  startContextWithWorkers,
  startMoreWorkers,
  untilDelivered,
} from "./context-with-workers.ts";
import { freePort } from "../support/world/ports.ts";
import { launchRedis } from "../support/world/redis-server.ts";
import { testAddress } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function startWorkerProcess(config: Config): ChildProcess {
  const script = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const args = ["--import", "tsx", script, JSON.stringify(testAddress()), JSON.stringify(config)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  cleanups.push(async () => child.kill("SIGKILL"));
  return child;
}

/** Skips the 25 s until a killed worker's lock expires and two checks find its job. */
async function resume(world: World, queue: Queue, job: string): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    await world.ctx.redis.del(queue.toKey(`${job}:lock`), queue.toKey("stalled-check"));
    startMoreWorkers(cleanups, world);
    await sleep(300);
  }
}

async function reached(world: World, crowd: UserId[], tweet: TweetId): Promise<number> {
  const scores = await exec(
    world.ctx.redis,
    crowd.map((user) => ["zscore", keys.homeTimeline(user), tweet]),
  );
  return scores.filter((score) => score !== null).length;
}

describe("a worker that is killed in the middle of a fan-out", () => {
  const followers = 3000;
  const settings = { fanoutPage: 3 };

  it("a worker killed during a fan-out loses nothing: another continues", async () => {
    const world = await createWorld(settings, { workers: false });
    cleanups.push(() => world.close());
    const [author, ...crowd] = (await newPeople(world.ctx, followers + 1)) as [UserId, ...UserId[]];
    const flat = crowd.flatMap((follower, index) => [index + 1, follower]);
    await world.ctx.redis.zadd(keys.followers(author), ...flat);
    const options = { connection: world.ctx.redis, prefix: queuePrefix };
    const queue = new Queue("deliver", options);
    cleanups.push(() => queue.close());
    const tweet = await postTweet(world.ctx, author, { text: "for everybody" });

    const victim = startWorkerProcess(world.ctx.config);
    while (Number((await queue.getJob(`tweet-${tweet}`))?.progress) < 30) await sleep(1);
    victim.kill("SIGKILL");
    await new Promise((resolve) => victim.once("exit", resolve));
    const progress = Number((await queue.getJob(`tweet-${tweet}`))?.progress);
    expect(await queue.getActiveCount()).toBe(1);
    expect(progress).toBeLessThan(followers);
    expect(await reached(world, crowd, tweet)).toBeGreaterThanOrEqual(progress);

    // Followers who had the tweet before do not get it again.
    const first = keys.homeTimeline(userId(crowd[0] ?? ""));
    await world.ctx.redis.zrem(first, tweet);
    await resume(world, queue, `tweet-${tweet}`);
    await world.delivered();
    expect(await world.ctx.redis.zscore(first, tweet)).toBeNull();
    expect(await reached(world, crowd, tweet)).toBe(followers - 1);
    expect(await queue.getFailedCount()).toBe(0);
  });
});

describe("workers whose Redis goes away", () => {
  it("workers without Redis log at most one line a second, and continue when it is back", async () => {
    const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(dir, { recursive: true, force: true }));
    const port = await freePort();
    const flags = ["--port", port, "--bind", "127.0.0.1", "--dir", dir];
    let server = launchRedis(flags);
    cleanups.push(() => server.kill());
    const { ctx, logged, clients } = await startContextWithWorkers(cleanups, [
      `redis://127.0.0.1:${port}`,
    ]);
    const before = logged.length;
    await server.kill();
    await sleep(2500);
    const lines = logged.slice(before);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(4);
    await expect(postTweet(ctx, userId(1), { text: "lost" })).rejects.toSatisfy(isOutage);

    server = launchRedis(flags);
    for (const client of clients) expect(await waitUntilReady(client, 5000)).toBe(true);
    const [writer, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: writer });
    const tweet = await postTweet(ctx, writer, { text: "back" });
    await untilDelivered(ctx, reader, tweet);
  });
});

describe("workers on a cluster", () => {
  // A node that stands still for two seconds is told of in the log.
  it("workers on a cluster deliver to followers on every node", { retry: 1 }, async () => {
    const cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const { ctx, logged } = await startContextWithWorkers(cleanups, cluster.urls);
    const [author, ...crowd] = (await newPeople(ctx, 31)) as [UserId, ...UserId[]];
    const old = await postTweet(ctx, author, { text: "from before" });
    for (const follower of crowd) await follow(ctx, { follower, followee: author });
    const tweet = await postTweet(ctx, author, { text: "news" });
    for (const follower of crowd) {
      await untilDelivered(ctx, follower, tweet);
      expect(await readHomeIds(ctx, follower)).toEqual([tweet, old]);
    }
    expect(logged).toEqual([]);
  });
});
