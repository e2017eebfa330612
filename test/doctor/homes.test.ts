import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { homeEntries, rebuildHome } from "../../src/domain/timelines/home.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { keys } from "../../src/redis/keys.ts";
import { runDoctor, finishJobs } from "../support/world/doctor.ts";
import { newPeople, storedHome } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the doctor on home timelines", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(async () => world.close());

  it("the doctor finds a tweet missing below a hundred newer ones, and the next visit shows it", async () => {
    const { ctx } = world;
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    const lost = await postTweet(ctx, author, { text: "delivered just before a failover" });
    for (let nth = 1; nth <= 100; nth += 1)
      await postTweet(ctx, author, { text: `and since then ${nth}` });
    await finishJobs(world);
    expect(await storedHome(ctx, reader)).toContain(lost);
    expect((await runDoctor(world)).findings).toEqual([]);
    await ctx.redis.zrem(keys.homeTimeline(reader), lost);
    expect((await runDoctor(world)).counts).toEqual({ home: 1 });
    await runDoctor(world, { repair: true });
    expect((await runDoctor(world)).findings).toEqual([]);
    const read = await homeEntries(ctx, reader, { before: undefined, after: 0, limit: 300 });
    expect(read.map(({ id }) => id)).toContain(lost);
  });

  it("the doctor finds nothing wrong with a home timeline that was filled under a larger cap", async () => {
    const { ctx } = world;
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    for (let nth = 1; nth <= 160; nth += 1)
      await postTweet(ctx, author, { text: `before the upgrade ${nth}` });
    await finishJobs(world);
    await ctx.redis.del(keys.homeTimeline(reader));
    await rebuildHome({ ...ctx, config: { ...ctx.config, timelineCap: 800 } }, reader);
    expect(await storedHome(ctx, reader)).toHaveLength(2 * 161);
    expect((await runDoctor(world)).findings).toEqual([]);
  });
});
