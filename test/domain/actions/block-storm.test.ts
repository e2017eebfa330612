import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { Blocked } from "../../../src/domain/errors.ts";
import { followersPage, isFollowing } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { block, reconcileBlock, unblock } from "../../../src/domain/actions/block.ts";
import { follow, unfollow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { isBlocked, relationsTo } from "../../../src/domain/graph/relations.ts";
import { mute, unmute } from "../../../src/domain/actions/mute.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { followCounts } from "../../support/inspect/counts.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const verbs = {
  mute: (ctx: Ctx, a: UserId, b: UserId) => mute(ctx, { muter: a, muted: b }),
  unmute: (ctx: Ctx, a: UserId, b: UserId) => unmute(ctx, { muter: a, muted: b }),
  block: (ctx: Ctx, a: UserId, b: UserId) => block(ctx, { blocker: a, blocked: b }),
  unblock: (ctx: Ctx, a: UserId, b: UserId) => unblock(ctx, { blocker: a, blocked: b }),
  follow: (ctx: Ctx, a: UserId, b: UserId) => follow(ctx, { follower: a, followee: b }),
  unfollow: (ctx: Ctx, a: UserId, b: UserId) => unfollow(ctx, { follower: a, followee: b }),
};
const names = Object.keys(verbs) as (keyof typeof verbs)[];
const act = fc.record({ does: fc.constantFrom(...names), from: fc.nat(2), to: fc.nat(2) });

describe("a storm of mutes, blocks and follows", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  /** Runs every act twice, `atOnce` at a time; returns what went wrong but for refusals. */
  async function run(
    people: UserId[],
    acts: { does: keyof typeof verbs; from: number; to: number }[],
    atOnce: number,
  ): Promise<unknown[]> {
    const twice = acts.filter(({ from, to }) => from !== to).flatMap((one) => [one, one]);
    const wrong: unknown[] = [];
    for (let first = 0; first < twice.length; first += atOnce) {
      const group = twice.slice(first, first + atOnce).map(async ({ does, from, to }) => {
        await verbs[does](world.ctx, people[from] as UserId, people[to] as UserId);
      });
      for (const ended of await Promise.allSettled(group))
        if (ended.status === "rejected" && !(ended.reason instanceof Blocked))
          wrong.push(ended.reason);
    }
    return wrong;
  }

  const isAcross = async (follower: UserId, followee: UserId) =>
    (await isBlocked(world.ctx, follower, followee)) &&
    (await isFollowing(world.ctx, { follower, followee })) !== undefined;

  it("mutes, blocks and follows in any order leave no follow across a block, and correct mirrors", async () => {
    const { ctx } = world;
    const { redis } = ctx;
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (acts, atOnce) => {
          const people = await newPeople(ctx, 3);
          expect(await run(people, acts, atOnce)).toEqual([]);
          const pairs = people.flatMap((a) =>
            people.filter((b) => b !== a).map((b): [UserId, UserId] => [a, b]),
          );
          for (const [a, b] of pairs) expect(await isAcross(a, b)).toBe(false);
          for (const [a, b] of pairs) {
            await reconcileBlock(ctx, { blocker: a, blocked: b });
            await reconcileFollow(ctx, { follower: a, followee: b });
          }
          for (const [a, b] of pairs) {
            expect(await isAcross(a, b)).toBe(false);
            const blocks = await redis.zscore(keys.blocks(a), b);
            expect(await redis.zscore(keys.blockedBy(b), a)).toBe(blocks);
            const follows = await redis.zscore(keys.followings(a), b);
            expect(await redis.zscore(keys.followers(b), a)).toBe(follows);
            const relation = (await relationsTo(ctx, await getViewer(ctx, a), [b]))(b);
            const isMuted = (await redis.zscore(keys.mutes(a), b)) !== null;
            const blocked = await isBlocked(ctx, a, b);
            expect(relation).toMatchObject({ blocked, blocking: blocks !== null, muted: isMuted });
          }
          for (const person of people) {
            const { items } = await followersPage(ctx, person, { before: undefined, limit: 50 });
            expect(items).toHaveLength((await followCounts(ctx, person)).followers);
          }
        },
      ),
      runs(40),
    );
  }, 60_000);
});
