import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { tweetFields } from "../../../src/domain/tweets/tweet.ts";
import { newPerson } from "../../support/actors/people.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotFound } from "../../../src/domain/errors.ts";
import { tweetId, userId } from "../../../src/domain/ids.ts";
import {
  buryTweet,
  createTweet,
  findTweet,
  recallTweets,
  getTweet,
} from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const tweet = (id: number) => ({
  id: tweetId(id),
  author: userId(3),
  text: `tweet ${id}`,
  createdAt: 1_700_000_000_000_000 + id,
});

const entry = (id: number) => ({ id: String(id), stamp: tweet(id).createdAt });

describe("stored tweets", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a tweet is found as it was written; the first write counts", async () => {
    await createTweet(world.ctx, tweet(1));
    await createTweet(world.ctx, { ...tweet(1), text: "something else" });
    expect(await getTweet(world.ctx, tweetId(1))).toMatchObject(tweet(1));
  });

  it("a tweet may say the name of any field in which it is stored", async () => {
    const author = await newPerson(world.ctx);
    for (const text of [...tweetFields, "drafted_by"]) {
      const id = await postTweet(world.ctx, author, { text, warning: text });
      expect(await getTweet(world.ctx, id)).toMatchObject({ author, text, warning: text });
    }
  });

  it("many tweets are found at once, in the order asked for, without deleted ones", async () => {
    for (const id of [11, 12, 13]) await createTweet(world.ctx, tweet(id));
    await buryTweet(world.ctx, tweetId(12), 5);
    const { ctx } = world;
    // The second time from memory, as far as that goes.
    for (let time = 0; time < 2; time += 1) {
      const found = await recallTweets(ctx, [13, 12, 11, 14].map(entry));
      expect(found).toMatchObject([tweet(13), undefined, tweet(11), undefined]);
    }
    expect(await recallTweets(ctx, [])).toEqual([]);
  });

  // Else the time of an answer would tell a hidden tweet, which the memory keeps, from none.
  it("the memory answers for tweets that are gone or never were, as for others", async () => {
    const { ctx } = world;
    for (const id of [15, 16]) await createTweet(ctx, tweet(id));
    await buryTweet(ctx, tweetId(16), 5);
    const all = [15, 16, 17].map(entry);
    await recallTweets(ctx, all);
    await ctx.memory.settled();
    await recallTweets(ctx, all);
    const { misses } = ctx.memory.stats();
    expect(await recallTweets(ctx, all)).toMatchObject([tweet(15), undefined, undefined]);
    expect(ctx.memory.stats().misses).toBe(misses);
    await createTweet(ctx, tweet(17));
    await ctx.memory.settled();
    expect(await recallTweets(ctx, [entry(17)])).toMatchObject([tweet(17)]);
  });

  it("a tweet that never existed or was deleted is not found", async () => {
    await createTweet(world.ctx, tweet(21));
    await buryTweet(world.ctx, tweetId(21), 5);
    for (const id of [tweetId(21), tweetId(22)]) {
      expect(await findTweet(world.ctx, id)).toBeUndefined();
      await expect(getTweet(world.ctx, id)).rejects.toThrow(NotFound);
    }
  });

  it("a tweet deleted before it was written does not come back", async () => {
    await buryTweet(world.ctx, tweetId(31), 5);
    await createTweet(world.ctx, tweet(31));
    expect(await findTweet(world.ctx, tweetId(31))).toBeUndefined();
  });

  it("reading a tweet fails loudly when its key has another type", async () => {
    await world.ctx.redis.set(keys.tweet(tweetId(41)), "no hash");
    await expect(findTweet(world.ctx, tweetId(41))).rejects.toThrow("WRONGTYPE");
    await expect(recallTweets(world.ctx, [entry(41)])).rejects.toThrow("WRONGTYPE");
    await expect(buryTweet(world.ctx, tweetId(41), 5)).rejects.toThrow("WRONGTYPE");
  });
});
