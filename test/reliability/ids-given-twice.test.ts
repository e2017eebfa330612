import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { boot } from "../../src/boot.ts";
import { type Config, parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import { formatTimestamp, type TweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { continueImport } from "../../src/domain/accounts/import.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../src/domain/actions/retweet.ts";
import { findTweet, getTweet } from "../../src/domain/tweets/store.ts";
import { findOpenSession, openSession } from "../../src/domain/users/sessions.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { findUser, findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { exportFileWith, startImport } from "../support/data/account-files.ts";
import { freshProcess } from "../support/world/ending-process.ts";
import { deliverAll, newPeople, newPerson, postAndDeliver } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { countOf, emptyRedis, removeKeys, testAddress } from "../support/world/test-redis.ts";
import { runs } from "../support/models/property-runs.ts";

/** Each id comes once. */
function note(known: Map<string, string>, id: string, what: string): void {
  expect(known.has(id)).toBe(false);
  known.set(id, what);
}

/** As after a failover to a replica that lagged; R1 and R22. */
describe("a counter that goes back", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ctx = world.ctx;
  });
  beforeEach(async () => {
    await emptyRedis(ctx.redis);
  });
  afterAll(() => world.close());

  const setBack = async (key: string, by: number) =>
    await ctx.redis.set(key, Math.max(0, Number(await ctx.redis.get(key)) - by));

  it.each(["this process", "another process"])(
    "after a counter went back no sign-up overwrites an account, seen by %s",
    async (who) => {
      const people = await newPeople(ctx, 40);
      const before = await Promise.all(people.map((id) => ctx.redis.hgetall(keys.user(id))));
      await setBack(keys.userIds, 30);
      const here = who === "this process" ? ctx : freshProcess(ctx);
      const newcomer = await createUser(here, { name: "newcomer", fullname: "New", pass: "x" });
      expect(people).not.toContain(newcomer);
      expect((await findUserByName(ctx, "newcomer"))?.id).toBe(newcomer);
      const after = await Promise.all(people.map((id) => ctx.redis.hgetall(keys.user(id))));
      expect(after).toEqual(before);
    },
  );

  it("after a counter went back no user gets the sessions of a lost account", async () => {
    const lost = await newPerson(ctx);
    await openSession(ctx, lost, "a session");
    const { name } = (await findUser(ctx, lost)) ?? { name: "" };
    await removeKeys(ctx.redis, keys.user(lost), keys.username(name));
    await setBack(keys.userIds, 1);
    const person = { name: "newcomer", fullname: "New", pass: "x" };
    const newcomer = await createUser(freshProcess(ctx), person);
    expect(newcomer).not.toBe(lost);
    expect(await findOpenSession(ctx, newcomer, "a session")).toBeUndefined();
  });

  it.each(["without a form", "with a form"])(
    "after a counter went back no post stands for another's tweet, %s",
    async (form) => {
      const [one, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
      const ids: TweetId[] = [];
      for (let nth = 0; nth < 20; nth += 1) ids.push(await postAndDeliver(ctx, one, `old ${nth}`));
      await setBack(keys.tweetIds, 15);
      const elsewhere = freshProcess(ctx);
      for (const author of [one, other]) {
        const nonce = form === "with a form" ? "a form" : undefined;
        const id = await postTweet(elsewhere, author, { text: "new", nonce });
        expect(ids).not.toContain(id);
        expect(await getTweet(ctx, id)).toMatchObject({ author, text: "new" });
        const again = await postTweet(elsewhere, author, { text: "new", nonce });
        expect(again === id).toBe(nonce !== undefined);
      }
      for (const [nth, id] of ids.entries())
        expect(await getTweet(ctx, id)).toMatchObject({ author: one, text: `old ${nth}` });
    },
  );

  it("after a counter went back no retweet or undo touches another's tweet", async () => {
    const [one, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const tweet = await postAndDeliver(ctx, one, "hello");
    const later = await postAndDeliver(ctx, one, "later");
    await setBack(keys.tweetIds, 1);
    const elsewhere = freshProcess(ctx);
    const id = await retweet(elsewhere, other, tweet);
    expect(id).toBeDefined();
    expect(id).not.toBe(later);
    await deliverAll(ctx, id as TweetId);
    await unretweet(elsewhere, other, tweet);
    // A claim that was written just before the counter went back names the tweet of another.
    await ctx.redis.hset(keys.retweets(other), tweet, later);
    await unretweet(elsewhere, other, tweet);
    expect(await getTweet(ctx, later)).toMatchObject({ author: one, text: "later" });
    const again = await retweet(elsewhere, other, tweet);
    expect(await getTweet(ctx, again as TweetId)).toMatchObject({ author: other });
    expect(await getTweet(ctx, later)).toMatchObject({ author: one, text: "later" });
  });

  it("after a counter went back no import stands for tweets of others", async () => {
    const [one, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const ids: TweetId[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await postAndDeliver(ctx, one, `mine ${nth}`));
    await setBack(keys.tweetIds, 5);
    const elsewhere = freshProcess(ctx);
    const tweets = [1, 2, 3].map((nth) => ({
      text: `imported ${nth}`,
      created_at: formatTimestamp(1_600_000_000_000_000 + nth),
    }));
    await startImport(elsewhere, other, exportFileWith({ tweet: tweets }));
    await continueImport(elsewhere, other);
    for (const id of ids) expect((await getTweet(ctx, id)).author).toBe(one);
    const written = await ctx.redis.zrange(keys.userTimeline(other), 0, "-1");
    expect(written).toHaveLength(3);
    for (const id of written) expect((await findTweet(ctx, id as TweetId))?.author).toBe(other);
  });

  it("a counter that goes back never merges two things, wherever and however often", async () => {
    const step = fc.record({
      what: fc.constantFrom("person", "tweet", "retweet", "back", "forget"),
      who: fc.nat(),
      by: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await emptyRedis(ctx.redis);
        let here = freshProcess(ctx);
        const people = new Map<string, string>();
        const tweets = new Map<string, string>();
        for (const [nth, { what, who, by }] of steps.entries()) {
          if (what === "person" || people.size === 0) {
            const id = await createUser(here, { name: `n${nth}`, fullname: "N", pass: "x" });
            note(people, id, `n${nth}`);
          }
          const author = userId([...people.keys()][who % people.size] ?? "");
          if (what === "tweet") {
            const id = await postTweet(here, author, { text: `t${nth}`, nonce: `f${by % 3}` });
            note(tweets, id, `t${nth}`);
          }
          const original = [...tweets.keys()][by % Math.max(1, tweets.size)] as TweetId | undefined;
          if (what === "retweet" && original !== undefined) await retweet(here, author, original);
          if (what === "back")
            for (const key of [keys.userIds, keys.tweetIds]) await setBack(key, by);
          if (what === "forget") here = freshProcess(ctx);
        }
        for (const [id, name] of people) expect((await findUser(ctx, userId(id)))?.name).toBe(name);
        for (const [id, text] of tweets)
          expect((await getTweet(ctx, id as TweetId)).text).toBe(text);
      }),
      runs(40),
    );
  });
});

describe("the counters at the start of a process", () => {
  it("a starting process raises the counters above the newest users and tweets, if there are any", async () => {
    const world = await createWorld({}, { workers: false });
    const { redis } = world.ctx;
    try {
      const address = testAddress();
      const silent: Config = { ...parseConfig({}), logLevel: "silent" };
      await (await boot(silent, address)).close();
      expect(await countOf(redis, keys.userIds, keys.tweetIds)).toBe(0);

      await redis.zadd(keys.newestUsers, 1, 70);
      await redis.zadd(keys.globalTimeline, 1, 500);
      await redis.zadd(keys.bigTimeline, 0, "floor", 1, "800:70");
      const booted = await boot(silent, address);
      try {
        const stands = async (key: string) => Number(await redis.get(key));
        await vi.waitUntil(async () => (await stands(keys.tweetIds)) >= 800, { timeout: 10_000 });
        expect(await stands(keys.userIds)).toBeGreaterThanOrEqual(70);
      } finally {
        await booted.close();
      }
    } finally {
      await world.close();
    }
  });
});
