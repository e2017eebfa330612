import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { findAccountStats, readAccountStats } from "../../../src/domain/timelines/account-stats.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("account statistics", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("the statistics of an account are current on its page, and lists show the same then", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const nothing = { tweets: 0, followers: 0, followings: 0, newest: undefined };
    expect(await findAccountStats(ctx, ann)).toEqual(nothing);
    const tweet = await postAndDeliver(ctx, ann, "first");
    await follow(ctx, { follower: bob, followee: ann });
    const { createdAt } = await getTweet(ctx, tweet);
    const standing = { tweets: 1, followers: 1, followings: 0, newest: createdAt };
    expect(await findAccountStats(ctx, ann)).toEqual(standing);
    const both = await readAccountStats(ctx, [ann, bob, ann]);
    expect(both.get(ann)).toEqual(standing);
    expect(both.get(bob)).toEqual({ ...nothing, followings: 1 });
  });

  it("account statistics are read from Redis again only after a change", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await readAccountStats(ctx, [ann, bob]);
    const { misses } = ctx.memory.stats();
    await readAccountStats(ctx, [ann, bob]);
    expect(ctx.memory.stats().misses).toBe(misses);
    await follow(ctx, { follower: bob, followee: ann });
    const before = ctx.memory.stats().misses;
    await readAccountStats(ctx, [ann, bob]);
    // The followers of one and the followings of the other.
    expect(ctx.memory.stats().misses).toBe(before + 2);
  });
});
