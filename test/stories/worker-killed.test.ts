import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue, Worker } from "bullmq";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { type PrivateServer, startPrivateServer } from "../../src/redis/private-server.ts";
import { exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import { countTweets } from "../support/inspect/counts.ts";
import { builtProgram } from "../support/world/built-program.ts";
import { type FaultyNetwork, faultyNetwork } from "../support/world/faulty-network.ts";
import { newPeople, newPerson, readHomeIds } from "../support/actors/people.ts";

const crowdSize = 3000;
/** Small, so that a fan-out takes many steps. */
const fanoutPage = 4;
/** As many as a worker process does at once. */
const deliveriesAtOnce = 8;
const atOnce = 1500;

describe("worker processes", () => {
  let dataDir: string;
  let server: PrivateServer;
  let network: FaultyNetwork;
  let site: Booted;
  let ctx: Ctx;
  let deliveries: Queue;
  let spreads: Queue;
  const workers = new Set<ChildProcess>();
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    server = await startPrivateServer({ dataDir });
    network = await faultyNetwork({ path: server.socket });
    const config = parseConfig({ LOG_LEVEL: "silent", FANOUT_PAGE: String(fanoutPage) });
    site = await boot(config, { socket: server.socket });
    ({ ctx } = site);
    const queueOf = (name: string) =>
      new Queue(name, { connection: ctx.redis, prefix: queuePrefix });
    [deliveries, spreads] = [queueOf("deliver"), queueOf("spread")];
  });
  afterAll(async () => {
    for (const worker of workers) await kill(worker);
    await deliveries.close();
    await spreads.close();
    await site.close();
    await network.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /**
   * As `npm run worker` would on a machine of its own. Its commands go through this process, so that it
   * does nothing while this process gets no turn: what a test sees is never older than a few steps.
   */
  async function startWorker(): Promise<ChildProcess> {
    const env = {
      PATH: process.env["PATH"],
      REDIS_URL: `redis://127.0.0.1:${network.port}`,
      FANOUT_PAGE: String(fanoutPage),
      LOG_LEVEL: "error",
    };
    const args = [await builtProgram("worker")];
    const stdio = ["ignore", "ignore", "inherit"] as const;
    const worker = spawn(process.execPath, args, { env, stdio: [...stdio] });
    workers.add(worker);
    return worker;
  }

  async function kill(worker: ChildProcess): Promise<void> {
    workers.delete(worker);
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const gone = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGKILL");
    await gone;
  }

  /** People who signed up and follow `author`, in this order; nothing else is known of them. */
  async function crowdOf(author: UserId, count: number): Promise<UserId[]> {
    const first = (await ctx.redis.incrby(keys.userIds, count)) - count + 1;
    const crowd = Array.from({ length: count }, (_, nth) => userId(first + nth));
    await inParts(crowd, async (part, start) => {
      const flat = part.flatMap((id, nth) => [start + nth + 1, id]);
      await ctx.redis.zadd(keys.followers(author), ...flat);
      await exec(
        ctx.redis,
        part.map((id) => ["zadd", keys.homeTimeline(id), 0, "floor"]),
      );
    });
    return crowd;
  }

  /** Who of the crowd has the tweet. */
  async function reached(crowd: UserId[], tweet: TweetId): Promise<number> {
    let count = 0;
    await inParts(crowd, async (part) => {
      const stamps = await exec(
        ctx.redis,
        part.map((id) => ["zscore", keys.homeTimeline(id), tweet]),
      );
      count += stamps.filter((stamp) => stamp !== null).length;
    });
    return count;
  }

  /** How many tweets the crowd's home timelines hold, all together. */
  async function stored(crowd: UserId[]): Promise<number> {
    let count = 0;
    await inParts(crowd, async (part) => {
      const sizes = await exec(
        ctx.redis,
        part.map((id) => ["zcount", keys.homeTimeline(id), 1, "+inf"]),
      );
      count += sizes.reduce((sum: number, size) => sum + Number(size), 0);
    });
    return count;
  }

  /** Followers came one stamp after the other, so progress counts them. */
  const progressOf = async (tweet: TweetId) =>
    Number((await spreads.getJob(`tweet-${tweet}`))?.progress) || 0;
  const isDone = async (tweet: TweetId) => {
    const job = await spreads.getJob(`tweet-${tweet}`);
    const state = await job?.getState();
    if (state === "failed") throw new Error(job?.failedReason);
    return state === "completed";
  };

  /** Jobs that are not done. */
  const open = async () => {
    const counts = [deliveries, spreads].map((queue) =>
      queue.getJobCountByTypes("waiting", "active", "delayed", "failed"),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  /** When the last job of a tweet ended, by the clock of the worker. */
  const endOf = async (tweet: TweetId) => {
    const jobs = [deliveries, spreads].map((queue) => queue.getJob(`tweet-${tweet}`));
    return Math.max(...(await Promise.all(jobs)).map((job) => job?.finishedOn ?? 0));
  };

  /** Spares us the 25 s in which a killed worker's lock lapses and others look for it twice. */
  async function findAbandoned(tweet: TweetId): Promise<void> {
    const [lock, look] = [spreads.toKey(`tweet-${tweet}:lock`), spreads.toKey("stalled-check")];
    for (let looks = 0; looks < 2; looks += 1) {
      await ctx.redis.del(lock, look);
      const options = { connection: { path: server.socket }, prefix: queuePrefix };
      const onlooker = new Worker("spread", null, { ...options, maxStalledCount: 1000 });
      await onlooker.startStalledCheckTimer();
      await until(async () => (await ctx.redis.exists(look)) === 1);
      await onlooker.close();
    }
    expect(await (await spreads.getJob(`tweet-${tweet}`))?.getState()).toBe("waiting");
    await ctx.redis.del(look);
  }

  it("workers killed during a fan-out, again and again, lose and repeat nothing", async () => {
    const author = await newPerson(ctx);
    const crowd = await crowdOf(author, crowdSize);
    const tweet = await postTweet(ctx, author, { text: "for everybody" });
    let worker = await startWorker();
    for (const share of [0.1, 0.2, 0.3]) {
      await until(async () => (await progressOf(tweet)) > share * crowdSize);
      await kill(worker);
      expect(await isDone(tweet)).toBe(false);
      expect(await reached(crowd, tweet)).toBeLessThan(crowdSize);
      if (share < 0.3) await findAbandoned(tweet);
      worker = await startWorker();
    }
    const killed = performance.now();
    await until(() => isDone(tweet));
    expect(performance.now() - killed).toBeLessThan(60_000);
    expect(await reached(crowd, tweet)).toBe(crowdSize);
    expect(await stored(crowd)).toBe(crowdSize);
    expect(await countTweets(ctx, author)).toBe(1);
    expect(await readHomeIds(ctx, author)).toEqual([tweet]);
    for (const queue of [deliveries, spreads]) expect(await queue.getFailedCount()).toBe(0);
    await kill(worker);
  }, 75_000);

  it("workers deliver a tweet to few followers before they finish tweets to many", async () => {
    const star = await newPerson(ctx);
    const crowd = await crowdOf(star, crowdSize / 4);
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    const huge: TweetId[] = [];
    for (let nth = 0; nth < deliveriesAtOnce; nth += 1)
      huge.push(await postTweet(ctx, star, { text: `to everybody, ${nth}` }));
    const small = await postTweet(ctx, author, { text: "hello, you" });
    const worker = await startWorker();
    await until(async () => (await open()) === 0);
    const ended = await endOf(small);
    expect(await reached([reader], small)).toBe(1);
    for (const tweet of huge) {
      expect(await reached(crowd, tweet)).toBe(crowd.length);
      expect(ended).toBeLessThan(await endOf(tweet));
    }
    await kill(worker);
  }, 60_000);
});

async function inParts<Item>(
  items: Item[],
  work: (part: Item[], start: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce)
    await work(items.slice(start, start + atOnce), start);
}

const until = (condition: () => Promise<boolean>) =>
  vi.waitUntil(condition, { timeout: 60_000, interval: 5 });
