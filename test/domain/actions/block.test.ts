import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Blocked, Invalid } from "../../../src/domain/errors.ts";
import { isFollowing } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { block, reconcileBlock, unblock } from "../../../src/domain/actions/block.ts";
import { follow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { blocksPage, isBlocked, relationsTo } from "../../../src/domain/graph/relations.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  getViewer,
  newPeople,
  newPerson,
  readAll,
  readHomeIds,
  postAndDeliver,
  storedHome,
  readUserPage,
} from "../../support/actors/people.ts";
import { followCounts } from "../../support/inspect/counts.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a block", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const newPair = async () => (await newPeople(world.ctx, 2)) as [UserId, UserId];

  /** Both sides of a block, as stamps. */
  async function sides(blocker: UserId, blocked: UserId) {
    return [
      await world.ctx.redis.zscore(keys.blocks(blocker), blocked),
      await world.ctx.redis.zscore(keys.blockedBy(blocked), blocker),
    ];
  }

  const relation = async (viewer: UserId, other: UserId) =>
    (await relationsTo(world.ctx, await getViewer(world.ctx, viewer), [other]))(other);

  it("a block is visible from both sides, and may be repeated", async () => {
    const [blocker, blocked] = await newPair();
    expect(await relation(blocked, blocker)).toMatchObject({ blocked: false });
    await block(world.ctx, { blocker, blocked });
    const first = await sides(blocker, blocked);
    expect(first[0]).not.toBeNull();
    expect(first[1]).toBe(first[0]);
    world.pass(1000);
    await block(world.ctx, { blocker, blocked });
    expect(await sides(blocker, blocked)).toEqual(first);
    expect(await relation(blocker, blocked)).toMatchObject({ blocked: true, blocking: true });
    expect(await relation(blocked, blocker)).toMatchObject({ blocked: true, blocking: false });
    expect(await isBlocked(world.ctx, blocked, blocker)).toBe(true);
  });

  it("an unblock ends a block, unless the other user blocked as well", async () => {
    const [one, other] = await newPair();
    await block(world.ctx, { blocker: one, blocked: other });
    await block(world.ctx, { blocker: other, blocked: one });
    for (const turn of [unblock, unblock]) await turn(world.ctx, { blocker: one, blocked: other });
    expect(await sides(one, other)).toEqual([null, null]);
    expect(await relation(one, other)).toMatchObject({ blocked: true, blocking: false });
    await unblock(world.ctx, { blocker: other, blocked: one });
    expect(await relation(one, other)).toMatchObject({ blocked: false });
  });

  it("blocking oneself is refused and promises no job", async () => {
    const me = await newPerson(world.ctx);
    const promised: unknown[] = [];
    const promise = async (edge: unknown) => void promised.push(edge);
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore: promise } };
    await expect(block(ctx, { blocker: me, blocked: me })).rejects.toThrow(Invalid);
    expect(promised).toEqual([]);
    expect(await sides(me, me)).toEqual([null, null]);
  });

  it("a block ends both follows, takes tweets out of both homes and refuses new follows", async () => {
    const [one, other] = await newPair();
    for (const author of [one, other]) await postAndDeliver(world.ctx, author, "hello");
    const edges = [
      { follower: one, followee: other },
      { follower: other, followee: one },
    ];
    for (const edge of edges) await follow(world.ctx, edge);
    await block(world.ctx, { blocker: one, blocked: other });
    for (const edge of edges) {
      expect(await isFollowing(world.ctx, edge)).toBeUndefined();
      expect(await followCounts(world.ctx, edge.follower)).toEqual({ followers: 0, followings: 0 });
      // Their own tweet and the floor.
      expect(await storedHome(world.ctx, edge.follower)).toHaveLength(4);
      await expect(follow(world.ctx, edge)).rejects.toThrow(Blocked);
      expect(await isFollowing(world.ctx, edge)).toBeUndefined();
    }
    await unblock(world.ctx, { blocker: one, blocked: other });
    expect(await readHomeIds(world.ctx, one)).toHaveLength(1);
    await follow(world.ctx, { follower: one, followee: other });
    expect(await readHomeIds(world.ctx, one)).toHaveLength(2);
  });

  it("a block refuses likes, retweets and replies both ways, but not taking them back", async () => {
    const { ctx } = world;
    const [one, other] = await newPair();
    const [mine, theirs] = [
      await postAndDeliver(ctx, one, "mine"),
      await postAndDeliver(ctx, other, "yours"),
    ];
    await likeTweet(ctx, other, mine);
    await retweet(ctx, other, mine);
    await block(ctx, { blocker: one, blocked: other });
    const third = await newPerson(ctx);
    await retweet(ctx, third, mine);
    const [brought] = (await readUserPage(ctx, third)).items;
    expect(brought?.id).toBe(mine);
    for (const [who, tweet] of [
      [one, theirs],
      [other, mine],
    ] as const) {
      await expect(likeTweet(ctx, who, tweet)).rejects.toThrow(Blocked);
      await expect(retweet(ctx, who, tweet)).rejects.toThrow(Blocked);
      await expect(postTweet(ctx, who, { text: "so", replyTo: tweet })).rejects.toMatchObject({
        problems: { form: "reply.blocked" },
      });
      const quoting = await postTweet(ctx, who, { text: "look", quoteOf: tweet });
      expect(await findTweet(ctx, quoting)).toMatchObject({ quoteOf: undefined });
    }
    await unlikeTweet(ctx, other, mine);
    await unretweet(ctx, other, mine);
    expect(await ctx.redis.zcard(keys.tweetLikes(mine))).toBe(0);
    expect(await ctx.redis.zrange(keys.tweetRetweets(mine), 0, "-1")).toEqual([third]);
  });

  it("a block promises its job before it writes", async () => {
    const [blocker, blocked] = await newPair();
    let before = await sides(blocker, blocked);
    const crash = async () => {
      expect(await sides(blocker, blocked)).toEqual(before);
      throw new Error("crash");
    };
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore: crash } };
    await expect(block(ctx, { blocker, blocked })).rejects.toThrow("crash");
    await block(world.ctx, { blocker, blocked });
    before = await sides(blocker, blocked);
    await expect(unblock(ctx, { blocker, blocked })).rejects.toThrow("crash");
  });

  it("a half-written block is completed by its job", async () => {
    const [blocker, blocked] = await newPair();
    await follow(world.ctx, { follower: blocked, followee: blocker });
    await world.ctx.redis.zadd(keys.blocks(blocker), 17, blocked);
    await reconcileBlock(world.ctx, { blocker, blocked });
    expect(await sides(blocker, blocked)).toEqual(["17", "17"]);
    expect(await followCounts(world.ctx, blocker)).toEqual({ followers: 0, followings: 0 });
    await world.ctx.redis.zrem(keys.blocks(blocker), blocked);
    await reconcileBlock(world.ctx, { blocker, blocked });
    expect(await sides(blocker, blocked)).toEqual([null, null]);
  });

  it("the job of a block ends a follow that another process wrote last", async () => {
    const [follower, followee] = await newPair();
    await block(world.ctx, { blocker: followee, blocked: follower });
    await world.ctx.redis.zadd(keys.followings(follower), 17, followee);
    await world.ctx.redis.zadd(keys.followers(followee), 17, follower);
    await reconcileFollow(world.ctx, { follower, followee });
    expect(await followCounts(world.ctx, follower)).toEqual({ followers: 0, followings: 0 });
    expect(await followCounts(world.ctx, followee)).toEqual({ followers: 0, followings: 0 });
  });

  it("a block wins over a follow at the same moment, in either order", async () => {
    for (let round = 0; round < 30; round += 1) {
      const [one, other] = await newPair();
      const followed = { follower: other, followee: one };
      await Promise.allSettled([
        follow(world.ctx, followed),
        block(world.ctx, { blocker: one, blocked: other }),
        follow(world.ctx, { follower: one, followee: other }),
        follow(world.ctx, followed),
      ]);
      for (const person of [one, other])
        expect(await world.ctx.redis.exists(keys.followings(person))).toBe(0);
      await reconcileFollow(world.ctx, followed);
      await reconcileFollow(world.ctx, { follower: one, followee: other });
      for (const person of [one, other])
        expect(await followCounts(world.ctx, person)).toEqual({ followers: 0, followings: 0 });
    }
  });

  it("blocked users are listed newest first, to the end", async () => {
    const [me, ...others] = (await newPeople(world.ctx, 104)) as [UserId, ...UserId[]];
    for (const blocked of others) {
      world.pass(1);
      await block(world.ctx, { blocker: me, blocked });
    }
    const listed = await readAll((before) => blocksPage(world.ctx, me, { before, limit: 50 }));
    expect(listed.map(({ id }) => id)).toEqual(others.toReversed());
  });
});
