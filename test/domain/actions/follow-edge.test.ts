import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Invalid } from "../../../src/domain/errors.ts";
import { type FollowEdge, isFollowing } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow, unfollow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { countOf, onCluster } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("following", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function newEdge(): Promise<FollowEdge> {
    const [follower, followee] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    return { follower, followee };
  }

  /** Both sides of an edge, as stamps. */
  async function sides({ follower, followee }: FollowEdge) {
    const { redis } = world.ctx;
    return [
      await redis.zscore(keys.followings(follower), followee),
      await redis.zscore(keys.followers(followee), follower),
    ];
  }

  it("a follow is visible from both sides with one stamp", async () => {
    const edge = await newEdge();
    await follow(world.ctx, edge);
    const since = await isFollowing(world.ctx, edge);
    expect(since).toBeGreaterThan(0);
    expect(await sides(edge)).toEqual([String(since), String(since)]);
  });

  it("a repeated follow keeps the time of the first", async () => {
    const edge = await newEdge();
    await follow(world.ctx, edge);
    const first = await sides(edge);
    world.pass(60_000);
    await follow(world.ctx, edge);
    expect(await sides(edge)).toEqual(first);
  });

  it("an unfollow ends a follow, and may be repeated", async () => {
    const edge = await newEdge();
    await unfollow(world.ctx, edge);
    await follow(world.ctx, edge);
    await unfollow(world.ctx, edge);
    await unfollow(world.ctx, edge);
    expect(await sides(edge)).toEqual([null, null]);
  });

  it("following oneself is refused and promises no job", async () => {
    const person = await newPerson(world.ctx);
    const promised: string[] = [];
    const chore = async (name: string) => void promised.push(name);
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore } };
    const attempt = follow(ctx, { follower: person, followee: person });
    await expect(attempt).rejects.toThrow(Invalid);
    expect(promised).toEqual([]);
    expect(await countOf(world.ctx.redis, keys.followings(person), keys.followers(person))).toBe(0);
  });

  it("a follow promises its job before it writes, so that a crash is repaired", async () => {
    const edge = await newEdge();
    let before = await sides(edge);
    const crash = async () => {
      expect(await sides(edge)).toEqual(before);
      throw new Error("crash");
    };
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore: crash } };
    await expect(follow(ctx, edge)).rejects.toThrow("crash");
    await follow(world.ctx, edge);
    before = await sides(edge);
    await expect(unfollow(ctx, edge)).rejects.toThrow("crash");
  });

  it("reconciling a follow restores either missing side from the follower's followings", async () => {
    const edge = await newEdge();
    const { redis } = world.ctx;
    await redis.zadd(keys.followings(edge.follower), 17, edge.followee);
    await reconcileFollow(world.ctx, edge);
    expect(await sides(edge)).toEqual(["17", "17"]);
    await redis.zadd(keys.followers(edge.followee), 16, edge.follower);
    await reconcileFollow(world.ctx, edge);
    expect(await sides(edge)).toEqual(["17", "17"]);
    await redis.zrem(keys.followings(edge.follower), edge.followee);
    await reconcileFollow(world.ctx, edge);
    expect(await sides(edge)).toEqual([null, null]);
  });

  it("after a storm of follows and unfollows the mirror matches the truth", async () => {
    const clicks = fc.array(fc.record({ from: fc.nat(3), to: fc.nat(3), on: fc.boolean() }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(clicks, async (storm) => {
        const people = await newPeople(world.ctx, 4);
        const edges = people.flatMap((follower) =>
          people
            .filter((followee) => followee !== follower)
            .map((followee) => ({ follower, followee })),
        );
        await Promise.all(
          storm.flatMap(({ from, to, on }) => {
            world.pass(1);
            const [follower, followee] = [people[from], people[to]] as [UserId, UserId];
            if (follower === followee) return [];
            const turn = on ? follow : unfollow;
            return [turn(world.ctx, { follower, followee })];
          }),
        );
        await Promise.all(edges.map((edge) => reconcileFollow(world.ctx, edge)));
        for (const edge of edges) {
          const [truth, mirror] = await sides(edge);
          expect(mirror).toBe(truth);
        }
      }),
      runs(80),
    );
  });

  it("thousands of simultaneous follows are mirrored", async () => {
    const star = await newPerson(world.ctx);
    // On a cluster each command goes out by itself, which takes longer than a command may.
    const size = onCluster ? 500 : 2000;
    const crowd = await newPeople(world.ctx, size);
    await Promise.all(crowd.map((follower) => follow(world.ctx, { follower, followee: star })));
    expect(await world.ctx.redis.zcard(keys.followers(star))).toBe(size);
  });
});
