import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { tweetId, type UserId } from "../../src/domain/ids.ts";
import { isFollowing } from "../../src/domain/graph/follows.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { dump } from "../support/world/dump.ts";
import { newPeople, readHomeIds } from "../support/actors/people.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";

const until = (condition: () => Promise<boolean>) =>
  vi.waitUntil(condition, { timeout: 60_000, interval: 10 });

describe("workers", () => {
  let world: World;
  let deliveries: Queue;
  let chores: Queue;
  beforeAll(async () => {
    world = await createWorld();
    const options = { connection: world.ctx.redis, prefix: queuePrefix };
    deliveries = new Queue("deliver", options);
    chores = new Queue("chores", options);
  });
  afterEach(() => {
    world.logged.length = 0;
  });
  afterAll(async () => {
    await deliveries.close();
    await chores.close();
    await world.close();
  });

  const newEdge = async () => {
    const [follower, followee] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    return { follower, followee };
  };
  /** Logged lines of this level: 40 warns, 50 is an error. */
  const loggedAt = (level: number) =>
    world.logged
      .map((line) => JSON.parse(line) as { level: number })
      .filter((line) => line.level === level);

  it("workers deliver tweets", async () => {
    const edge = await newEdge();
    await follow(world.ctx, edge);
    const tweet = await postTweet(world.ctx, edge.followee, { text: "news" });
    await world.delivered();
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([tweet]);
  });

  it("workers reconcile follows", async () => {
    const edge = await newEdge();
    const tweet = await postTweet(world.ctx, edge.followee, { text: "news" });
    await world.delivered();
    // A process that ended after its promise and the first write.
    await world.ctx.jobs.chore("reconcile-follow", edge, "later");
    await world.ctx.redis.zadd(keys.followings(edge.follower), 17, edge.followee);
    await chores.promoteJobs();
    await until(async () => (await chores.getJobCountByTypes("waiting", "active")) === 0);
    expect(await world.ctx.redis.zscore(keys.followers(edge.followee), edge.follower)).toBe("17");
    expect(await isFollowing(world.ctx, edge)).toBe(17);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([tweet]);
  });

  it("workers reconcile blocks", async () => {
    const edge = await newEdge();
    await follow(world.ctx, edge);
    const { follower: blocker, followee: blocked } = edge;
    await world.ctx.jobs.chore("reconcile-block", { blocker, blocked }, "later");
    await world.ctx.redis.zadd(keys.blocks(blocker), 17, blocked);
    await chores.promoteJobs();
    await until(async () => (await chores.getJobCountByTypes("waiting", "active")) === 0);
    expect(await world.ctx.redis.zscore(keys.blockedBy(blocked), blocker)).toBe("17");
    expect(await isFollowing(world.ctx, edge)).toBeUndefined();
  });

  it("running every job twice changes nothing", async () => {
    const edge = await newEdge();
    await follow(world.ctx, edge);
    const tweets = [1, 2, 3].map((nth) => postTweet(world.ctx, edge.followee, { text: `${nth}` }));
    await Promise.all(tweets);
    await world.delivered();
    await until(async () => (await chores.getJobCountByTypes("waiting", "active")) === 0);
    const once = await dump(world.ctx);
    await deliveries.addBulk(
      (await Promise.all(tweets)).map((tweet) => ({ name: "deliver", data: { tweet } })),
    );
    await world.ctx.jobs.chore("reconcile-follow", edge, "later");
    await chores.promoteJobs();
    await world.delivered();
    await until(async () => (await chores.getJobCountByTypes("waiting", "active")) === 0);
    expect(await dump(world.ctx)).toEqual(once);
  });

  it("a failing job is retried, then kept, while others continue", async () => {
    const [author] = (await newPeople(world.ctx, 1)) as [UserId];
    const poison = tweetId(1_000_000);
    await world.ctx.redis.set(keys.tweet(poison), "no hash");
    const impatient = { attempts: 3, backoff: { type: "fixed", delay: 10 }, removeOnFail: false };
    const job = await deliveries.add("deliver", { tweet: poison }, impatient);
    const tweet = await postTweet(world.ctx, author, { text: "unaffected" });
    await world.delivered();
    expect(await readHomeIds(world.ctx, author)).toEqual([tweet]);
    expect(await job.getState()).toBe("failed");
    expect(loggedAt(40)).toMatchObject([
      { msg: "job will be tried again", attempt: 1, queue: "deliver", job: job.id },
      { msg: "job will be tried again", attempt: 2 },
    ]);
    expect(loggedAt(50)).toMatchObject([
      { msg: "job failed for good", attempt: 3, job: job.id, err: { message: /WRONGTYPE/ } },
    ]);

    // A dead letter can be replayed once its cause is gone.
    await world.ctx.redis.del(keys.tweet(poison));
    const createdAt = world.ctx.now() * 1000;
    await createTweet(world.ctx, { id: poison, author, text: "cured", createdAt });
    await job.retry();
    await world.delivered();
    expect(await readHomeIds(world.ctx, author)).toEqual([poison, tweet]);
  });
});

describe("workers that are closed", () => {
  it("workers that close finish the running jobs, and take no more", async () => {
    const world = await createWorld({ fanoutPage: 2 });
    const [author, ...crowd] = (await newPeople(world.ctx, 401)) as [UserId, ...UserId[]];
    const flat = crowd.flatMap((follower, index) => [index + 1, follower]);
    await world.ctx.redis.zadd(keys.followers(author), ...flat);
    const redis = connectToTestRedis("worker", world.ctx.config);
    const queue = new Queue("deliver", { connection: redis, prefix: queuePrefix });
    await postTweet(world.ctx, author, { text: "last words" });
    while ((await queue.getActiveCount()) === 0) await new Promise(setImmediate);
    await world.close();
    expect(await queue.getJobCounts("active", "failed", "completed")).toEqual({
      active: 0,
      failed: 0,
      completed: 1,
    });
    const job = await queue.add("deliver", { tweet: "1" });
    expect(await job.getState()).toBe("waiting");
    await queue.close();
    redis.disconnect();
  });
});
