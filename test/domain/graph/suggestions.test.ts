import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow as followUser, unfollow } from "../../../src/domain/actions/follow.ts";
import { suggestPeople } from "../../../src/domain/graph/suggestions.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const crowd = 9;
const who = fc.integer({ min: 0, max: crowd - 1 });
const edge = fc.tuple(who, who).filter(([from, to]) => from !== to);
const edges = fc.uniqueArray(edge, { maxLength: 40, selector: String });
const some = fc.uniqueArray(who, { maxLength: 2 });

describe("suggestions", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const suggest = async (user: UserId, limit = 50) =>
    await suggestPeople(world.ctx, await getViewer(world.ctx, user), limit);
  const follow = (follower: UserId, followee: UserId) =>
    followUser(world.ctx, { follower, followee });

  it("suggestions are the users most followings follow, as in a naive model", async () => {
    await fc.assert(
      fc.asyncProperty(edges, some, some, some, async (pairs, muted, blocked, blocking) => {
        const people = await newPeople(world.ctx, crowd);
        people.sort((one, other) => Number(one) - Number(other));
        const [me = "" as UserId] = people;
        for (const [from, to] of pairs) await follow(people[from] as UserId, people[to] as UserId);
        const pick = (numbers: number[]) => numbers.map((number) => people[number] as UserId);
        for (const [key, ids] of [
          [keys.mutes(me), pick(muted)],
          [keys.blocks(me), pick(blocked)],
          [keys.blockedBy(me), pick(blocking)],
        ] as const)
          await exec(
            world.ctx.redis,
            ids.map((id) => ["zadd", key, 1, id]),
          );

        const isEdge = (from: number, to: number) =>
          pairs.some(([one, other]) => one === from && other === to);
        const apart = new Set([...blocked, ...blocking]);
        const hidden = new Set([...muted, ...apart]);
        const expected = [...people.keys()]
          .filter((nth) => nth !== 0 && !isEdge(0, nth) && !hidden.has(nth))
          .map((nth) => ({
            nth,
            through: [...people.keys()].filter(
              (other) => isEdge(0, other) && isEdge(other, nth) && !apart.has(other),
            ),
          }))
          .filter(({ through }) => through.length > 0)
          .toSorted((a, b) => b.through.length - a.through.length || b.nth - a.nth);

        for (const _ of ["asked", "remembered"]) {
          const found = await suggest(me);
          expect(found.map(({ id }) => id)).toEqual(expected.map(({ nth }) => people[nth]));
          expect(found.map(({ through }) => through.toSorted())).toEqual(
            expected.map(({ through }) => pick(through).toSorted()),
          );
        }
      }),
      runs(25),
    );
  });

  it("suggestions leave out users followed, muted or blocked since, at once", async () => {
    const [me, friend, a, b, c, d] = (await newPeople(world.ctx, 6)) as [
      UserId,
      UserId,
      UserId,
      UserId,
      UserId,
      UserId,
    ];
    await follow(me, friend);
    for (const one of [a, b, c, d]) await follow(friend, one);
    expect(await suggest(me)).toHaveLength(4);
    await follow(me, a);
    await world.ctx.redis.zadd(keys.mutes(me), 1, b);
    await world.ctx.redis.zadd(keys.blocks(me), 1, c);
    expect((await suggest(me)).map(({ id }) => id)).toEqual([d]);
    await unfollow(world.ctx, { follower: me, followee: friend });
    expect(await suggest(me)).toEqual([]);
  });

  it("suspended users are neither suggested nor counted", async () => {
    const { ctx } = world;
    const [me, bad, friend, a, b, c] = (await newPeople(ctx, 6)) as [
      UserId,
      UserId,
      UserId,
      UserId,
      UserId,
      UserId,
    ];
    for (const one of [bad, friend]) await follow(me, one);
    for (const one of [bad, friend]) await follow(one, a);
    await follow(bad, b);
    await follow(friend, c);
    const found = async () =>
      (await suggest(me)).map(({ id, through }) => [id, through.toSorted()]);
    expect(await found()).toHaveLength(3);
    for (const id of [bad, c]) await suspendUser(ctx, (await findUser(ctx, id)) as User);
    expect(await found()).toEqual([[a, [friend]]]);
    const anew = await newPeople(ctx, 1);
    await follow(me, anew[0] as UserId);
    expect(await found()).toEqual([[a, [friend]]]);
  });

  it("suggestions read a bounded number of lists, however many users the viewer follows", async () => {
    const [me] = (await newPeople(world.ctx, 1)) as [UserId];
    const many = Array.from({ length: 400 }, (_, nth) => String(500_000 + nth) as UserId);
    await exec(
      world.ctx.redis,
      many.map((id, nth) => ["zadd", keys.followings(me), nth + 1, id]),
    );
    const theirs = Array.from({ length: 150 }, (_, nth) => [nth + 1, 600_000 + nth]).flat();
    await exec(
      world.ctx.redis,
      many.map((id) => ["zadd", keys.followings(id), ...theirs]),
    );
    const everybody = [...many, ...Array.from({ length: 150 }, (_, nth) => String(600_000 + nth))];
    await exec(
      world.ctx.redis,
      everybody.map((id) => ["hset", keys.user(id as UserId), "name", `n${id}`, "created_at", 1]),
    );
    const found = await suggest(me, 1000);
    expect(found).toHaveLength(50);
    for (const { id, through } of found) {
      expect(through).toHaveLength(30);
      // The newest fifty of each.
      expect(Number(id)).toBeGreaterThanOrEqual(600_100);
    }
    expect(found[0]?.through[0]).toBe(many.at(-1));
  });

  it("a call reads about as many users as it suggests, however many there are", async () => {
    const { ctx } = world;
    const [me, friend, ...others] = (await newPeople(ctx, 62)) as [UserId, UserId, ...UserId[]];
    await follow(me, friend);
    for (const other of others) await follow(friend, other);
    const asked = () => ctx.memory.stats().hits + ctx.memory.stats().misses;
    for (const limit of [3, 5]) {
      const before = asked();
      expect(await suggest(me, limit)).toHaveLength(limit);
      expect(asked() - before).toBeLessThan(others.length);
    }
  });

  it("a user without followings gets no suggestions", async () => {
    const [me] = (await newPeople(world.ctx, 1)) as [UserId];
    expect(await suggest(me)).toEqual([]);
  });
});
