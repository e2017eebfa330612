import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Invalid } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { follow, unfollow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../../src/domain/timelines/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  deliverAll,
  expireHome,
  newPeople,
  readHomeIds,
  postAndDeliver,
  storedHome,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("follow and unfollow", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ timelineCap: 10 }, { workers: false });
  });
  afterAll(() => world.close());

  async function newPair() {
    const [follower, followee] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    return { follower, followee };
  }

  async function sayMany(author: UserId, count: number): Promise<TweetId[]> {
    const ids: TweetId[] = [];
    for (let nth = 0; nth < count; nth += 1)
      ids.unshift(await postAndDeliver(world.ctx, author, `${nth}`));
    return ids;
  }

  it("follow and unfollow change the home timeline before they resolve", async () => {
    const edge = await newPair();
    const tweets = await sayMany(edge.followee, 4);
    await follow(world.ctx, edge);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual(tweets);
    await unfollow(world.ctx, edge);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([]);
    expect(await storedHome(world.ctx, edge.follower)).toEqual(["floor", "0"]);
  });

  it("following an author with more tweets than a home holds leaves no gap in paging", async () => {
    const edge = await newPair();
    const tweets = await sayMany(edge.followee, 25);
    await follow(world.ctx, edge);
    expect(await world.ctx.redis.zcard(keys.homeTimeline(edge.follower))).toBeLessThanOrEqual(10);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual(tweets);
  });

  it("following an author whose newest tweets are replies to strangers stores the older ones", async () => {
    const edge = await newPair();
    const [stranger] = (await newPeople(world.ctx, 1)) as [UserId];
    const replyTo = await postAndDeliver(world.ctx, stranger, "a question");
    const tweets = await sayMany(edge.followee, 3);
    for (let nth = 0; nth < 12; nth += 1)
      await deliverAll(
        world.ctx,
        await postTweet(world.ctx, edge.followee, { text: `${nth}`, replyTo }),
      );
    await follow(world.ctx, edge);
    const stored = await storedHome(world.ctx, edge.follower);
    expect(stored).toEqual(expect.arrayContaining(["floor", "0", ...tweets]));
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual(tweets);
  });

  it("an unfollow keeps tweets of others in a newly built home", async () => {
    const edge = await newPair();
    const [other] = (await newPeople(world.ctx, 1)) as [UserId];
    await follow(world.ctx, { follower: edge.follower, followee: other });
    const theirs = await sayMany(other, 3);
    const tweets = await sayMany(edge.followee, 2);
    await expireHome(world.ctx, edge.follower);
    await prepareHome(world.ctx, edge.follower, "returning");
    await follow(world.ctx, edge);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([...tweets, ...theirs]);
  });

  it("follow and unfollow do not create an expired home", async () => {
    const edge = await newPair();
    await expireHome(world.ctx, edge.follower);
    await follow(world.ctx, edge);
    await unfollow(world.ctx, edge);
    expect(await storedHome(world.ctx, edge.follower)).toEqual([]);
  });

  it("unfollowing oneself leaves one's own tweets at home", async () => {
    const { follower: user } = await newPair();
    const tweets = await sayMany(user, 2);
    expect(await readHomeIds(world.ctx, user)).toEqual(tweets);
    const edge = { follower: user, followee: user };
    await unfollow(world.ctx, edge);
    await reconcileFollow(world.ctx, edge);
    expect(await readHomeIds(world.ctx, user)).toEqual(tweets);
  });

  it("following and unfollowing oneself is refused", async () => {
    const { follower } = await newPair();
    const attempt = follow(world.ctx, { follower, followee: follower });
    await expect(attempt).rejects.toThrow(Invalid);
  });

  it("half-done follows and unfollows are completed by their job", async () => {
    const edge = await newPair();
    const tweets = await sayMany(edge.followee, 4);
    await world.ctx.redis.zadd(keys.followings(edge.follower), 17, edge.followee);
    await reconcileFollow(world.ctx, edge);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual(tweets);
    await world.ctx.redis.zrem(keys.followings(edge.follower), edge.followee);
    await reconcileFollow(world.ctx, edge);
    expect(await storedHome(world.ctx, edge.follower)).toEqual(["floor", "0"]);
    expect(await world.ctx.redis.exists(keys.followers(edge.followee))).toBe(0);
  });

  it("running the job of a follow again changes nothing, also at the cap", async () => {
    const edge = await newPair();
    await follow(world.ctx, edge);
    for (const count of [3, 6, 1, 1, 20, 1]) {
      await sayMany(edge.followee, count);
      await reconcileFollow(world.ctx, edge);
      const once = await storedHome(world.ctx, edge.follower);
      await reconcileFollow(world.ctx, edge);
      expect(await storedHome(world.ctx, edge.follower)).toEqual(once);
    }
  });

  it("a follow misses no tweet that is posted at the same moment", async () => {
    for (let round = 0; round < 40; round += 1) {
      const edge = await newPair();
      const [[tweet]] = await Promise.all([sayMany(edge.followee, 1), follow(world.ctx, edge)]);
      expect(await readHomeIds(world.ctx, edge.follower)).toEqual([tweet]);
    }
  });

  it("the job of an unfollow removes a tweet that a late delivery brings", async () => {
    const edge = await newPair();
    await follow(world.ctx, edge);
    const [tweet] = (await sayMany(edge.followee, 1)) as [TweetId];
    await unfollow(world.ctx, edge);
    await world.ctx.redis.zadd(keys.homeTimeline(edge.follower), Date.now() * 1000, tweet);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([]);
    expect(await storedHome(world.ctx, edge.follower)).toEqual(["floor", "0"]);
    await addToTimelines(world.ctx, { tweet, author: edge.followee, stamp: Date.now() * 1000 });
    await deliverAll(world.ctx, tweet);
    expect(await readHomeIds(world.ctx, edge.follower)).toEqual([]);
  });
});
