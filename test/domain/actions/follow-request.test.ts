import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { acceptRequest, endRequest, follow, unfollow } from "../../../src/domain/actions/follow.ts";
import type { FollowEdge } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, postAndDeliver, readHomeIds } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import {
  asking,
  followed,
  newEdge,
  protect,
  stateOf,
  stranger,
  withChores,
} from "./request-scene.ts";

describe("requests to follow", () => {
  let world: World;
  let ctx: Ctx;
  let runJobs: () => Promise<void>;
  let edge: FollowEdge;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx, runJobs } = withChores(world.ctx));
  });
  beforeEach(async () => {
    edge = await newEdge(ctx);
  });
  afterAll(() => world.close());

  const state = async (one = edge) => await stateOf(ctx, one);

  it("a follow of a protected account is a request, once, until it is accepted", async () => {
    const tweet = await postAndDeliver(ctx, edge.followee, "among ourselves");
    await protect(ctx, edge);
    await follow(ctx, edge);
    const first = await state();
    expect(first).toEqual(asking);
    expect(first.request[0]).toBe(first.request[1]);
    world.pass(60_000);
    await follow(ctx, edge);
    expect(await state()).toEqual(first);
    expect(await readHomeIds(ctx, edge.follower)).toEqual([]);
    await acceptRequest(ctx, edge);
    expect(await state()).toEqual(followed);
    expect(await readHomeIds(ctx, edge.follower)).toEqual([tweet]);
    await acceptRequest(ctx, edge);
    await runJobs();
    expect(await state()).toEqual(followed);
  });

  it.each([
    ["declined", endRequest],
    ["withdrawn", unfollow],
  ] as const)("a request that is %s leaves nothing, and may be made again", async (_, end) => {
    await protect(ctx, edge);
    await follow(ctx, edge);
    await end(ctx, edge);
    expect(await state()).toEqual(stranger);
    await acceptRequest(ctx, edge);
    await runJobs();
    expect(await state()).toEqual(stranger);
    await follow(ctx, edge);
    expect(await state()).toEqual(asking);
  });

  it("a removed follower of a protected account must ask again", async () => {
    await follow(ctx, edge);
    await protect(ctx, edge);
    await follow(ctx, edge);
    await runJobs();
    expect(await state()).toEqual(followed);
    await unfollow(ctx, edge);
    await follow(ctx, edge);
    expect(await state()).toEqual(asking);
  });

  it("a block ends requests in both directions", async () => {
    const back = { follower: edge.followee, followee: edge.follower };
    for (const one of [edge, back]) await protect(ctx, one);
    for (const one of [edge, back]) await follow(ctx, one);
    await block(ctx, { blocker: edge.followee, blocked: edge.follower });
    for (const one of [edge, back]) expect(await state(one)).toEqual(stranger);
  });

  it("all requests are accepted when protection ends, a part in each run of the chore", async () => {
    const { followee } = edge;
    await protect(ctx, edge);
    const edges = (await newPeople(ctx, 110)).map((follower) => ({ follower, followee }));
    for (const one of edges) await follow(ctx, one);
    await protect(ctx, edge, false);
    await runJobs();
    for (const one of edges)
      expect(await state(one)).toMatchObject({ follow: followed.follow, request: [null, null] });
  });

  it("requests and followings have one bound", async () => {
    await protect(ctx, edge);
    const entries = Array.from({ length: 9_999 }, (_, nth) => [1, String(1e9 + nth)]).flat();
    await ctx.redis.zadd(keys.requested(edge.follower), ...entries);
    await follow(ctx, edge);
    const [other] = (await newPeople(ctx, 1)) as [UserId];
    await expect(follow(ctx, { ...edge, followee: other })).rejects.toMatchObject({
      problems: { form: "follow.many" },
    });
    await ctx.redis.del(keys.requested(edge.follower));
  });
});
