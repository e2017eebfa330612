import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { findTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { repliesTo } from "../../../src/domain/feeds/thread.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { freshProcess } from "../../support/world/ending-process.ts";
import {
  deliverAll,
  readGlobalPage,
  newPerson,
  readHomeIds,
  readUserPage,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";

describe("posting a tweet", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  function withDelivery(deliverTweet: Ctx["jobs"]["deliverTweet"]): Ctx {
    return { ...world.ctx, jobs: { ...world.ctx.jobs, deliverTweet } };
  }

  it("a new tweet is in its author's home, on the profile and in the public list before any job runs", async () => {
    const author = await newPerson(world.ctx);
    const id = await postTweet(world.ctx, author, { text: " Hello \n" });
    expect(await getTweet(world.ctx, id)).toMatchObject({ id, author, text: "Hello" });
    expect(await readHomeIds(world.ctx, author)).toEqual([id]);
    expect((await readUserPage(world.ctx, author)).items.map((tweet) => tweet.id)).toEqual([id]);
    expect((await readGlobalPage(world.ctx)).items.map((tweet) => tweet.id)).toContain(id);
  });

  it("a post with an invalid text is refused and writes nothing", async () => {
    const author = await newPerson(world.ctx);
    for (const text of ["", " ", "x".repeat(281)])
      await expect(postTweet(world.ctx, author, { text })).rejects.toThrow(Invalid);
    expect(await countTweets(world.ctx, author)).toBe(0);
  });

  it("a post is whole once its delivery is promised, and invisible before", async () => {
    const author = await newPerson(world.ctx);
    let promised: TweetId | undefined;
    const crash = withDelivery(async (tweet) => {
      promised = tweet;
      expect(await findTweet(world.ctx, tweet)).toBeUndefined();
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

  it("one form makes one tweet, however often and fast it is submitted", async () => {
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

  it("a repeated submit finishes what an earlier one began", async () => {
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

  it("the same text in another form, or by another user, is another tweet", async () => {
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

  it("forms that differ in anything but the text are different tweets", async () => {
    const author = await newPerson(world.ctx);
    const [one, other] = [
      await postTweet(world.ctx, author, { text: "one" }),
      await postTweet(world.ctx, author, { text: "other" }),
    ];
    const form = { text: "same", nonce: "two tabs" };
    const inputs = [
      form,
      { ...form, warning: "spoiler" },
      { ...form, language: "ja" },
      { ...form, replyTo: one },
      { ...form, replyTo: other },
      { ...form, quoteOf: one },
    ];
    const ids: TweetId[] = [];
    for (const input of [...inputs, ...inputs]) ids.push(await postTweet(world.ctx, author, input));
    expect(ids.slice(inputs.length)).toEqual(ids.slice(0, inputs.length));
    expect(new Set(ids).size).toBe(inputs.length);
  });

  it("submitting the form of a deleted tweet again does not bring it back", async () => {
    const author = await newPerson(world.ctx);
    const input = { text: "regretted", nonce: "an old tab" };
    const id = await postTweet(world.ctx, author, input);
    await deleteTweet(world.ctx, author, id);
    expect(await postTweet(world.ctx, author, input)).toBe(id);
    expect(await countTweets(world.ctx, author)).toBe(0);
    expect(await readHomeIds(world.ctx, author)).toEqual([]);
  });

  it("a form is forgotten after a day", async () => {
    const author = await newPerson(world.ctx);
    await postTweet(world.ctx, author, { text: "dated", nonce: "a form" });
    const [nonce] = await findKeys(world.ctx.redis, keys.nonce(author, "*"));
    const seconds = await world.ctx.redis.ttl(nonce ?? "");
    expect(seconds).toBeGreaterThan(86_390);
    expect(seconds).toBeLessThanOrEqual(86_400);
  });

  it("a reply names its parent, of a retweet the original, and is counted and listed there", async () => {
    const [ann, bob] = [await newPerson(world.ctx), await newPerson(world.ctx)];
    const tweet = await postTweet(world.ctx, ann, { text: "hello" });
    await retweet(world.ctx, bob, tweet);
    const again = tweetId((await world.ctx.redis.hget(keys.retweets(bob), tweet)) ?? "");
    const replies: TweetId[] = [];
    for (const replyTo of [tweet, again])
      replies.unshift(await postTweet(world.ctx, bob, { text: "hello, Ann", replyTo }));
    for (const id of replies)
      expect((await getTweet(world.ctx, id)).replyTo).toEqual({ tweet, author: ann });
    const listed = await repliesTo(world.ctx, tweet, { viewer: undefined });
    expect(listed.items.map((item) => item.tweet.id)).toEqual(replies);
    expect((await readCounts(freshProcess(world.ctx), [tweet])).get(tweet)?.replies).toBe(2);
    expect((await readGlobalPage(world.ctx)).items.map(({ id }) => id)).not.toContain(replies[0]);
    expect((await readUserPage(world.ctx, bob)).items.map(({ id }) => id)).toEqual([tweet]);

    await deleteTweet(world.ctx, bob, replies[0] as TweetId);
    expect((await readCounts(freshProcess(world.ctx), [tweet])).get(tweet)?.replies).toBe(1);
  });

  it("a reply to a deleted tweet is refused beside the form", async () => {
    const author = await newPerson(world.ctx);
    const tweet = await postTweet(world.ctx, author, { text: "regretted" });
    await retweet(world.ctx, author, tweet);
    const again = tweetId((await world.ctx.redis.hget(keys.retweets(author), tweet)) ?? "");
    await deleteTweet(world.ctx, author, tweet);
    for (const replyTo of [tweet, again, tweetId(987_654)])
      await expect(postTweet(world.ctx, author, { text: "why?", replyTo })).rejects.toMatchObject({
        problems: { form: "reply.gone" },
      });
    expect((await readUserPage(world.ctx, author)).items).toEqual([]);
  });

  it("a post quotes an existing tweet, of a retweet the original, and no deleted one", async () => {
    const author = await newPerson(world.ctx);
    const post = async (quoteOf: TweetId) =>
      (await getTweet(world.ctx, await postTweet(world.ctx, author, { text: "look", quoteOf })))
        .quoteOf;
    const tweet = await postTweet(world.ctx, author, { text: "hello" });
    await retweet(world.ctx, author, tweet);
    const again = tweetId((await world.ctx.redis.hget(keys.retweets(author), tweet)) ?? "");
    expect(await post(tweet)).toEqual({ tweet, author });
    expect(await post(again)).toEqual({ tweet, author });
    await deleteTweet(world.ctx, author, tweet);
    expect(await post(tweet)).toBeUndefined();
    expect(await post(tweetId(987_654))).toBeUndefined();
  });

  it("a post remembers the users it mentions who exist by then", async () => {
    const [author, other] = [await newPerson(world.ctx), await newPerson(world.ctx)];
    const { name } = await getUser(other);
    const text = `@${name.toUpperCase()} ＠${name} @nobody_here a@${name} @late_comer`;
    const id = await postTweet(world.ctx, author, { text });
    expect((await getTweet(world.ctx, id)).mentions).toEqual([{ id: other, name }]);
    const late = { name: "late_comer", fullname: "Late", pass: "none" };
    await createUser(world.ctx, late);
    expect((await getTweet(world.ctx, id)).mentions).toHaveLength(1);
  });

  async function getUser(id: UserId) {
    return (await findUser(world.ctx, id)) ?? { name: "" };
  }
});
