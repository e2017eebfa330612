import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pendingJobs } from "../../src/doctor/jobs.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { runChore, startWorkers } from "../../src/jobs/workers.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("chores of the clock", () => {
  it("workers look every ten minutes whether tweets can be sealed, in an hour from then", async () => {
    const world = await createWorld({}, { workers: false });
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const running = startWorkers(world.ctx, world.ctx.redis);
    vi.advanceTimersByTime(10 * 60_000);
    vi.useRealTimers();
    const chores = world.queues.all().find(({ name }) => name === "chores");
    await expect
      .poll(async () => (await chores?.getDelayed())?.map(({ id }) => id), { timeout: 10_000 })
      .toContain("seal-tweets-inAnHour");
    await running.close();
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
