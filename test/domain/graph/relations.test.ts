import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import { block, unblock } from "../../../src/domain/actions/block.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { reactionsTo } from "../../../src/domain/tweets/reactions.ts";
import { relationsTo } from "../../../src/domain/graph/relations.ts";
import { getViewer, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** More than a process keeps in mind about one viewer. */
const many = 5100;

describe("relations of a viewer", () => {
  let world: World;
  let me: UserId;
  let foe: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [me, foe] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const strangers = Array.from({ length: many }, (_, nth) => userId(100_000 + nth));

  it("relations hold for every user asked about, however many others there are", async () => {
    await block(world.ctx, { blocker: me, blocked: foe });
    const viewer = await getViewer(world.ctx, me);
    const first = await relationsTo(world.ctx, viewer, [foe]);
    const all = await relationsTo(world.ctx, viewer, [foe, ...strangers]);
    const again = await relationsTo(world.ctx, viewer, [foe, userId(99_999)]);
    for (const relationTo of [first, all, again]) expect(relationTo(foe).blocked).toBe(true);
    expect(again(userId(99_999)).blocked).toBe(false);
  });

  it("relations are read from Redis once, and again only after a change", async () => {
    const others = strangers.slice(0, 50);
    const viewer = await getViewer(world.ctx, me);
    const reads = async () => {
      const before = world.ctx.memory.stats().misses;
      await relationsTo(world.ctx, viewer, others);
      return world.ctx.memory.stats().misses - before;
    };
    await reads();
    expect(await reads()).toBe(0);
    await block(world.ctx, { blocker: me, blocked: strangers[7] as UserId });
    expect((await relationsTo(world.ctx, viewer, others))(strangers[7] as UserId).blocking).toBe(
      true,
    );
    await unblock(world.ctx, { blocker: me, blocked: strangers[7] as UserId });
    expect((await relationsTo(world.ctx, viewer, others))(strangers[7] as UserId).blocked).toBe(
      false,
    );
    await reads();
    expect(await reads()).toBe(0);
  });

  it("relations hold for every tweet asked about", async () => {
    const tweet = await postAndDeliver(world.ctx, me, "mine");
    await likeTweet(world.ctx, me, tweet);
    const viewer = await getViewer(world.ctx, me);
    const others = strangers.map((id) => tweetId(id));
    const first = await reactionsTo(world.ctx, viewer, [tweet]);
    const all = await reactionsTo(world.ctx, viewer, [tweet, ...others]);
    for (const reactionTo of [first, all]) expect(reactionTo(tweet).liked).toBe(true);
  });
});
