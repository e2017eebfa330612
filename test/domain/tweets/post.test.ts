import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import type { TweetId } from "../../../src/domain/ids.ts";
import { countTweets } from "../../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../../src/domain/tweets/delete.ts";
import { postTweet } from "../../../src/domain/tweets/post.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, everybodys, newPerson, readHomeIds, writtenBy } from "../../support/people.ts";
import { createWorld, type World } from "../../support/world.ts";

describe("posting a tweet", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  function withDelivery(deliverTweet: Ctx["jobs"]["deliverTweet"]): Ctx {
    return { ...world.ctx, jobs: { ...world.ctx.jobs, deliverTweet } };
  }

  it("shows it to its author, on the profile and to everybody before any job has run", async () => {
    const author = await newPerson(world.ctx);
    const id = await postTweet(world.ctx, author, { text: " Hello \n" });
    expect(await getTweet(world.ctx, id)).toMatchObject({ id, author, text: "Hello" });
    expect(await readHomeIds(world.ctx, author)).toEqual([id]);
    expect((await writtenBy(world.ctx, author)).items.map((tweet) => tweet.id)).toEqual([id]);
    expect((await everybodys(world.ctx)).items.map((tweet) => tweet.id)).toContain(id);
  });

  it("refuses a text that cannot be, and writes nothing", async () => {
    const author = await newPerson(world.ctx);
    for (const text of ["", " ", "x".repeat(281)])
      await expect(postTweet(world.ctx, author, { text })).rejects.toThrow(Invalid);
    expect(await countTweets(world.ctx, author)).toBe(0);
  });

  it("keeps the tweet whole once its delivery is promised, and shows none before", async () => {
    const author = await newPerson(world.ctx);
    let promised: TweetId | undefined;
    const crash = withDelivery(async (tweet) => {
      promised = tweet;
      expect((await getTweet(world.ctx, tweet)).text).toBe("fragile");
      expect(await countTweets(world.ctx, author)).toBe(0);
      throw new Error("crash");
    });
    await expect(postTweet(crash, author, { text: "fragile" })).rejects.toThrow("crash");
    expect(await readHomeIds(world.ctx, author)).toEqual([]);
    // The promise was kept in spite of the crash: the job does the rest.
    await deliverAll(world.ctx, promised as TweetId);
    expect(await readHomeIds(world.ctx, author)).toEqual([promised]);
    expect(await countTweets(world.ctx, author)).toBe(1);
  });

  it("makes one tweet of one form, however often and however fast it is submitted", async () => {
    const author = await newPerson(world.ctx);
    const input = { text: "once", nonce: "one form" };
    const ids = await Promise.all(
      Array.from({ length: 50 }, () => postTweet(world.ctx, author, input)),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await countTweets(world.ctx, author)).toBe(1);
    const [id] = ids as [TweetId];
    expect(await postTweet(world.ctx, author, input)).toBe(id);
    const stamp = await world.ctx.redis.zscore(keys.userTimeline(author), id);
    expect(Number(stamp)).toBe((await getTweet(world.ctx, id)).createdAt);
  });

  it("finishes what an earlier submit of the form began", async () => {
    const author = await newPerson(world.ctx);
    const input = { text: "second try", nonce: "a form" };
    const crash = withDelivery(async () => {
      throw new Error("crash");
    });
    await expect(postTweet(crash, author, input)).rejects.toThrow("crash");
    const id = await postTweet(world.ctx, author, input);
    await deliverAll(world.ctx, id);
    expect(await readHomeIds(world.ctx, author)).toEqual([id]);
    expect(await countTweets(world.ctx, author)).toBe(1);
  });

  it("takes the same words in another form, or of somebody else, for another tweet", async () => {
    const [one, other] = [await newPerson(world.ctx), await newPerson(world.ctx)];
    const ids = [
      await postTweet(world.ctx, one, { text: "same", nonce: "first form" }),
      await postTweet(world.ctx, one, { text: "same", nonce: "second form" }),
      await postTweet(world.ctx, one, { text: "not the same", nonce: "first form" }),
      await postTweet(world.ctx, one, { text: "same" }),
      await postTweet(world.ctx, other, { text: "same", nonce: "first form" }),
    ];
    expect(new Set(ids).size).toBe(5);
  });

  it("does not bring back a deleted tweet whose form is submitted again", async () => {
    const author = await newPerson(world.ctx);
    const input = { text: "regretted", nonce: "an old tab" };
    const id = await postTweet(world.ctx, author, input);
    await deleteTweet(world.ctx, author, id);
    expect(await postTweet(world.ctx, author, input)).toBe(id);
    expect(await countTweets(world.ctx, author)).toBe(0);
    expect(await readHomeIds(world.ctx, author)).toEqual([]);
  });

  it("forgets a form after a day", async () => {
    const author = await newPerson(world.ctx);
    await postTweet(world.ctx, author, { text: "dated", nonce: "a form" });
    const [nonce] = await world.ctx.redis.keys(keys.nonce(author, "*"));
    const seconds = await world.ctx.redis.ttl(nonce ?? "");
    expect(seconds).toBeGreaterThan(86_390);
    expect(seconds).toBeLessThanOrEqual(86_400);
  });
});
