import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Forbidden, NotFound } from "../../../src/domain/errors.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { repliesFeed } from "../../../src/domain/feeds/feeds.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { retweet, reconcileRetweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { peopleWhoReacted } from "../../../src/domain/feeds/thread.ts";
import { reactionsTo } from "../../../src/domain/tweets/reactions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { dump } from "../../support/world/dump.ts";
import { Ended, endingAfter } from "../../support/world/ending-process.ts";
import { getViewer, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("retweeting and liking", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  let tweet: TweetId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    tweet = await postAndDeliver(world.ctx, ann, "hello");
  });
  afterAll(() => world.close());

  const retweetOf = async (user: UserId, original: TweetId) => {
    const id = await world.ctx.redis.hget(keys.retweets(user), original);
    return id === null ? undefined : tweetId(id);
  };
  const ids = async (user: UserId) => {
    const { items } = await repliesFeed(world.ctx, user, { viewer: undefined });
    return items.map((item) => [item.retweet?.id, item.tweet.id]);
  };
  const who = async (did: "likes" | "retweets", id: TweetId) =>
    (await peopleWhoReacted(world.ctx, did, id, { viewer: undefined })).items.map(
      (user) => user.id,
    );
  const reaction = async (user: UserId) =>
    (await reactionsTo(world.ctx, await getViewer(world.ctx, user), [tweet]))(tweet);

  it("liking or retweeting a retweet acts on the original", async () => {
    await retweet(world.ctx, ann, tweet);
    const own = (await retweetOf(ann, tweet)) as TweetId;
    await retweet(world.ctx, bob, own);
    await likeTweet(world.ctx, bob, own);
    expect(await findTweet(world.ctx, (await retweetOf(bob, tweet)) as TweetId)).toMatchObject({
      retweetOf: { tweet, author: ann },
      text: "",
    });
    expect(await retweetOf(bob, own)).toBeUndefined();
    expect(await who("retweets", tweet)).toEqual([bob, ann]);
    expect(await who("likes", tweet)).toEqual([bob]);
    expect(await reaction(bob)).toMatchObject({ liked: true, retweeted: true });
    expect(await reaction(ann)).toMatchObject({ liked: false, retweeted: true });
    await unlikeTweet(world.ctx, bob, own);
    await unretweet(world.ctx, bob, own);
    expect(await reaction(bob)).toMatchObject({ liked: false, retweeted: false });
    expect(await who("retweets", tweet)).toEqual([ann]);
    expect(await ids(bob)).toEqual([]);
  });

  it("retweeting and liking twice changes nothing", async () => {
    await retweet(world.ctx, bob, tweet);
    await likeTweet(world.ctx, bob, tweet);
    const shown = await ids(bob);
    const likes = await world.ctx.redis.zrange(keys.likes(bob), 0, "-1", "WITHSCORES");
    world.pass(5);
    await retweet(world.ctx, bob, tweet);
    await likeTweet(world.ctx, bob, tweet);
    expect(await ids(bob)).toEqual(shown);
    expect(await world.ctx.redis.zrange(keys.likes(bob), 0, "-1", "WITHSCORES")).toEqual(likes);
    await unretweet(world.ctx, bob, tweet);
    await unlikeTweet(world.ctx, bob, tweet);
    await unlikeTweet(world.ctx, bob, tweet);
    await unretweet(world.ctx, bob, tweet);
    expect(await reaction(bob)).toMatchObject({ liked: false, retweeted: false });
  });

  it("deleting a retweet takes it back, which only its user can", async () => {
    await retweet(world.ctx, bob, tweet);
    const id = (await retweetOf(bob, tweet)) as TweetId;
    await expect(deleteTweet(world.ctx, ann, id)).rejects.toThrow(Forbidden);
    await deleteTweet(world.ctx, bob, id);
    expect(await findTweet(world.ctx, id)).toBeUndefined();
    expect((await findTweet(world.ctx, tweet))?.text).toBe("hello");
    expect(await retweetOf(bob, tweet)).toBeUndefined();
    expect(await who("retweets", tweet)).toEqual([]);
  });

  it("retweets and likes of a missing tweet are refused; taking them back is not", async () => {
    await retweet(world.ctx, bob, tweet);
    await likeTweet(world.ctx, bob, tweet);
    const id = (await retweetOf(bob, tweet)) as TweetId;
    await deleteTweet(world.ctx, ann, tweet);
    for (const gone of [tweet, id, tweetId(987_654)])
      for (const verb of [retweet, likeTweet])
        await expect(verb(world.ctx, ann, gone)).rejects.toThrow(NotFound);
    for (const verb of [unretweet, unlikeTweet]) await verb(world.ctx, ann, tweetId(987_654));
    await unlikeTweet(world.ctx, bob, tweet);
    await unretweet(world.ctx, bob, tweet);
    expect(await reaction(bob)).toMatchObject({ liked: false, retweeted: false });
    expect(await findTweet(world.ctx, id)).toBeUndefined();
  });

  it("a retweet is whole or absent once reconciled, wherever its process dies", async () => {
    for (let commands = 0; commands < 30; commands += 1) {
      const [user] = (await newPeople(world.ctx, 1)) as [UserId];
      const ending = endingAfter(world.ctx, commands);
      const isDone = await done(retweet(ending, user, tweet));
      await reconcileRetweet(world.ctx, { user, tweet });
      const id = await retweetOf(user, tweet);
      expect(id !== undefined || !isDone).toBe(true);
      expect(await ids(user)).toEqual(id === undefined ? [] : [[id, tweet]]);
      expect((await who("retweets", tweet)).includes(user)).toBe(id !== undefined);

      // Taken back by a process that ends, and retweeted again before the reconciliation.
      await retweet(world.ctx, user, tweet);
      await done(unretweet(endingAfter(world.ctx, commands), user, tweet));
      await retweet(world.ctx, user, tweet);
      expect(await ids(user)).toEqual([[await retweetOf(user, tweet), tweet]]);
      await unretweet(world.ctx, user, tweet);
      await reconcileRetweet(world.ctx, { user, tweet });
      expect(await ids(user)).toEqual([]);
      expect(await who("retweets", tweet)).not.toContain(user);
    }
  });

  it("a retweet of a tweet deleted at the same moment ends with it", async () => {
    // The process had claimed its retweet and ended; then the original was deleted.
    await world.ctx.redis.hset(keys.retweets(bob), tweet, "4711");
    await deleteTweet(world.ctx, ann, tweet);
    await reconcileRetweet(world.ctx, { user: bob, tweet });
    expect(await retweetOf(bob, tweet)).toBeUndefined();
    expect(await findTweet(world.ctx, tweetId(4711))).toBeUndefined();
    expect(await ids(bob)).toEqual([]);
    expect(await world.ctx.redis.zcard(keys.userTimeline(bob))).toBe(0);
  });

  it("reconciling a retweet twice changes nothing", async () => {
    await retweet(world.ctx, bob, tweet);
    const truth = async () => {
      const all = await dump(world.ctx);
      // What tells that something may have changed.
      all.delete(keys.user(bob));
      return all;
    };
    const before = await truth();
    await reconcileRetweet(world.ctx, { user: bob, tweet });
    expect(await truth()).toEqual(before);
  });
});

/** False if the process ended meanwhile. */
async function done(doing: Promise<unknown>): Promise<boolean> {
  return await doing.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Ended) return false;
      throw error;
    },
  );
}
