import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pendingJobs } from "../../src/doctor/jobs.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { runChore, startWorkers } from "../../src/jobs/workers.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../support/actors/people.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";

describe("chores of the clock", () => {
  it("workers look every ten minutes whether tweets can be sealed, in an hour from then", async () => {
    const world = await createWorld({}, { workers: false });
    const [redis, takesJobs] = [
      connectToTestRedis("worker", world.ctx.config),
      connectToTestRedis("worker", world.ctx.config),
    ];
    await Promise.all([waitUntilReady(redis, 5000), waitUntilReady(takesJobs, 5000)]);
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const running = startWorkers({ ...world.ctx, redis }, takesJobs);
    vi.advanceTimersByTime(10 * 60_000);
    vi.useRealTimers();
    const chores = world.queues.all().find(({ name }) => name === "chores");
    await expect
      .poll(async () => (await chores?.getDelayed())?.map(({ id }) => id), { timeout: 10_000 })
      .toContain("seal-tweets-inAnHour");
    await running.close();
    redis.disconnect();
    takesJobs.disconnect();
    await world.close();
  });
});

describe("a chore promised before an upgrade", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a chore with a former name does what it promised, and the doctor waits for it", async () => {
    const { ctx, queues } = world;
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const tweet = await postAndDeliver(ctx, author, "a tweet");
    await ctx.redis.zadd(keys.likes(reader), 1, tweet);
    const data = { user: reader, tweet };
    await queues.all()[2]?.add("settle-like", data);
    expect(await pendingJobs(queues.all())).toContain(`reconcile-like ${reader} ${tweet}`);
    await runChore(ctx, "settle-like", data);
    expect(await ctx.redis.zrange(keys.tweetLikes(tweet), 0, "-1")).toEqual([reader]);
  });
});
