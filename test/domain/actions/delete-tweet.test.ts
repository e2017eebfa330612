import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Forbidden, NotFound } from "../../../src/domain/errors.ts";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { createTweet, findTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, readHomeIds, postAndDeliver } from "../../support/actors/people.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { countOf } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("deleting a tweet", () => {
  let world: World;
  let author: UserId;
  let stranger: UserId;
  beforeAll(async () => {
    world = await createWorld({ timelineTtlDays: 3 }, { workers: false });
    [author, stranger] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  it("deleting a tweet removes its text and leaves a tombstone for the life of a timeline", async () => {
    const id = await postAndDeliver(world.ctx, author, "regretted");
    const { createdAt } = await getTweet(world.ctx, id);
    await deleteTweet(world.ctx, author, id);
    const hash = await world.ctx.redis.hgetall(keys.tweet(id));
    expect(Object.keys(hash).toSorted()).toEqual(["created_at", "deleted_at", "user_id"]);
    expect(hash).toMatchObject({ user_id: author, created_at: String(createdAt) });
    const seconds = await world.ctx.redis.ttl(keys.tweet(id));
    expect(seconds).toBeGreaterThan(3 * 86_400 - 5);
    expect(await findTweet(world.ctx, id)).toBeUndefined();
    expect(await countTweets(world.ctx, author)).toBe(0);
    expect(await readHomeIds(world.ctx, author)).toEqual([]);
  });

  it("a deleted tweet is never written again", async () => {
    const id = await postAndDeliver(world.ctx, author, "regretted");
    const tweet = await getTweet(world.ctx, id);
    await deleteTweet(world.ctx, author, id);
    await createTweet(world.ctx, tweet);
    expect(await findTweet(world.ctx, id)).toBeUndefined();
    await expect(deleteTweet(world.ctx, author, id)).rejects.toThrow(NotFound);
  });

  it("a deleted tweet takes along no tweet of another that stands in the place of its retweet", async () => {
    const { ctx } = world;
    const [original, later] = [
      await postAndDeliver(ctx, author, "original"),
      await postAndDeliver(ctx, stranger, "later"),
    ];
    // As in a backup that is not of one moment: the id of the retweet was given out again.
    await ctx.redis.hset(keys.retweets(author), original, later);
    await ctx.redis.zadd(keys.tweetRetweets(original), 1, author);
    await deleteTweet(ctx, author, original);
    expect(await getTweet(ctx, later)).toMatchObject({ author: stranger, text: "later" });
    expect(await countOf(ctx.redis, keys.retweets(author), keys.tweetRetweets(original))).toBe(0);
  });

  it("only the author can delete a tweet, and only one that exists", async () => {
    const id = await postAndDeliver(world.ctx, author, "mine");
    await expect(deleteTweet(world.ctx, stranger, id)).rejects.toThrow(Forbidden);
    expect((await getTweet(world.ctx, id)).text).toBe("mine");
    await expect(deleteTweet(world.ctx, author, tweetId(987_654))).rejects.toThrow(NotFound);
  });
});
