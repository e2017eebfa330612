import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  allFollowings,
  followedAmong,
  followerIdsAfter,
  followersAfter,
  followersAmong,
  followersPage,
  followingsPage,
} from "../../../src/domain/graph/follows.ts";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { keys } from "../../../src/redis/keys.ts";
import { readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const star = userId(1);

/** Followers come in bursts, so many share a stamp. */
const crowds = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 2, max: 500 }).map(userId),
    stamp: fc.integer({ min: 1, max: 20 }),
  }),
  { selector: (follower) => follower.id, maxLength: 60 },
);
const limits = fc.integer({ min: 1, max: 9 });

describe("the lists of followers and followings", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function fill(key: string, crowd: { id: UserId; stamp: number }[]): Promise<void> {
    await world.ctx.redis.del(key);
    const flat = crowd.flatMap(({ id, stamp }) => [stamp, id]);
    if (flat.length > 0) await world.ctx.redis.zadd(key, ...flat);
  }

  it("a fan-out reads every follower once, oldest first, in pages that split no stamp", async () => {
    await fc.assert(
      fc.asyncProperty(crowds, limits, async (crowd, limit) => {
        await fill(keys.followers(star), crowd);
        const reached: { id: UserId; stamp: number }[] = [];
        for (let after = 0; ;) {
          const page = await followersAfter(world.ctx, star, { after, limit });
          const last = page.at(-1);
          if (last === undefined) break;
          reached.push(...page);
          after = last.stamp;
        }
        expect(byId(reached)).toEqual(byId(crowd));
        const stamps = reached.map((follower) => follower.stamp);
        expect(stamps).toEqual(stamps.toSorted((one, other) => one - other));
        const pages: UserId[] = [];
        for (let after: number | undefined = 0; after !== undefined;) {
          const page = await followerIdsAfter(world.ctx, star, { after, limit });
          const ids = page.ids.toString().split(" ").filter(Boolean).map(userId);
          expect(ids.length).toBeGreaterThanOrEqual(page.last === undefined ? 0 : limit);
          pages.push(...ids);
          after = page.last;
        }
        expect(pages).toEqual(reached.map(({ id }) => id));
      }),
      runs(200),
    );
  });

  it("lists of followers and followings show every user once, page by page", async () => {
    await fc.assert(
      fc.asyncProperty(crowds, limits, async (crowd, limit) => {
        await fill(keys.followers(star), crowd);
        await fill(keys.followings(star), crowd);
        for (const read of [followersPage, followingsPage]) {
          const shown = await readAll((before) => read(world.ctx, star, { before, limit }));
          expect(byId(shown)).toEqual(byId(crowd));
        }
        expect(byId(await allFollowings(world.ctx, star))).toEqual(
          byId(crowd.map((person) => person.id)),
        );
      }),
      runs(100),
    );
  });

  it("a lookup tells which of many users follow or are followed", async () => {
    const [friend, fan, stranger] = [userId(7), userId(8), userId(9)];
    await fill(keys.followings(star), [{ id: friend, stamp: 1 }]);
    await fill(keys.followers(star), [{ id: fan, stamp: 1 }]);
    const asked = [friend, fan, stranger, friend];
    expect(await followedAmong(world.ctx, star, asked)).toEqual(new Set([friend]));
    expect(await followersAmong(world.ctx, star, asked)).toEqual(new Set([fan]));
    expect(await followedAmong(world.ctx, star, [])).toEqual(new Set());
  });
});

function byId<Item>(items: Item[]): Item[] {
  return items.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
}
