import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Forbidden, NotFound } from "../../../src/domain/errors.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { findPinned, pinTweet, unpinTweet } from "../../../src/domain/actions/pin-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("pinning a tweet", () => {
  let world: World;
  let author: UserId;
  let other: UserId;
  let tweet: TweetId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [author, other] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    tweet = await postAndDeliver(world.ctx, author, "mine");
  });
  afterAll(() => world.close());

  const pinned = async (viewer?: UserId) => {
    const look = viewer && (await getViewer(world.ctx, viewer));
    const user = (await findUser(world.ctx, author)) as User;
    return (await findPinned(world.ctx, look, user))?.tweet.id;
  };

  it("a pinned tweet is on top, replaces another, and can be unpinned", async () => {
    const second = await postAndDeliver(world.ctx, author, "mine too");
    await pinTweet(world.ctx, author, tweet);
    await pinTweet(world.ctx, author, tweet);
    expect(await pinned()).toBe(tweet);
    await pinTweet(world.ctx, author, second);
    expect(await pinned()).toBe(second);
    await unpinTweet(world.ctx, author, tweet);
    expect(await pinned()).toBe(second);
    await unpinTweet(world.ctx, author, second);
    await unpinTweet(world.ctx, author, second);
    expect(await pinned()).toBeUndefined();
  });

  it("users can pin only tweets that they wrote", async () => {
    const theirs = await postAndDeliver(world.ctx, other, "theirs");
    await retweet(world.ctx, author, theirs);
    const mine = await world.ctx.redis.hget(keys.retweets(author), theirs);
    await expect(pinTweet(world.ctx, author, theirs)).rejects.toThrow(Forbidden);
    await expect(pinTweet(world.ctx, author, tweetId(mine ?? ""))).rejects.toThrow(Forbidden);
    await expect(unpinTweet(world.ctx, author, theirs)).rejects.toThrow(Forbidden);
    await expect(pinTweet(world.ctx, author, tweetId(999_999))).rejects.toThrow(NotFound);
    expect(await pinned()).toBeUndefined();
  });

  it("a pin ends with its tweet", async () => {
    const short = await postAndDeliver(world.ctx, author, "short-lived");
    await pinTweet(world.ctx, author, short);
    await deleteTweet(world.ctx, author, short);
    expect(await pinned()).toBeUndefined();
    await expect(pinTweet(world.ctx, author, short)).rejects.toThrow(NotFound);
    await unpinTweet(world.ctx, author, short);
    expect(await world.ctx.redis.hget(keys.user(author), "pinned")).toBeNull();
  });

  it("a pinned tweet is hidden across a block", async () => {
    await pinTweet(world.ctx, author, tweet);
    expect(await pinned(other)).toBe(tweet);
    await world.ctx.redis.zadd(keys.blockedBy(other), 1, author);
    expect(await pinned(other)).toBeUndefined();
    expect(await pinned(author)).toBe(tweet);
  });
});
