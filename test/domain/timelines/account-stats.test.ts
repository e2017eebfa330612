import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { findStanding, standingsOf } from "../../../src/domain/timelines/account-stats.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("what an account amounts to", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("is counted as it is this moment for one, and lists know it then", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const nothing = { tweets: 0, followers: 0, followings: 0, newest: undefined };
    expect(await findStanding(ctx, ann)).toEqual(nothing);
    const tweet = await postAndDeliver(ctx, ann, "first");
    await follow(ctx, { follower: bob, followee: ann });
    const { createdAt } = await getTweet(ctx, tweet);
    const standing = { tweets: 1, followers: 1, followings: 0, newest: createdAt };
    expect(await findStanding(ctx, ann)).toEqual(standing);
    const both = await standingsOf(ctx, [ann, bob, ann]);
    expect(both.get(ann)).toEqual(standing);
    expect(both.get(bob)).toEqual({ ...nothing, followings: 1 });
  });

  it("is asked of Redis again only where something has changed", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await standingsOf(ctx, [ann, bob]);
    const { misses } = ctx.memory.stats();
    await standingsOf(ctx, [ann, bob]);
    expect(ctx.memory.stats().misses).toBe(misses);
    await follow(ctx, { follower: bob, followee: ann });
    const before = ctx.memory.stats().misses;
    await standingsOf(ctx, [ann, bob]);
    // The followers of one and the followings of the other.
    expect(ctx.memory.stats().misses).toBe(before + 2);
  });
});
