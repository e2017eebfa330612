import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../src/domain/actions/follow.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPeople } from "../support/actors/people.ts";
import { finishJobs, runDoctor } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { protect } from "../domain/actions/request-scene.ts";

describe("the doctor and requests to follow", () => {
  let world: World;
  let edge: { follower: UserId; followee: UserId };
  beforeAll(async () => {
    world = await createWorld();
    const [follower, followee] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    edge = { follower, followee };
    await protect(world.ctx, edge);
    await follow(world.ctx, edge);
    await finishJobs(world);
  });
  afterAll(() => world.close());

  const { followRequests, requested, followings } = keys;

  it("a request that waits for a protected account is no finding", async () => {
    expect((await runDoctor(world)).findings).toEqual([]);
  });

  it("an acceptance that was left half done is completed", async () => {
    const { redis } = world.ctx;
    await redis.zadd(followRequests(edge.followee), -1e15, edge.follower);
    await redis.zadd(requested(edge.follower), 1e15, edge.followee);
    expect((await runDoctor(world)).counts).toMatchObject({ request: 1 });
    await runDoctor(world, { repair: true });
    await finishJobs(world);
    expect(await redis.zscore(followings(edge.follower), edge.followee)).not.toBeNull();
    expect((await runDoctor(world)).findings).toEqual([]);
  });
});
