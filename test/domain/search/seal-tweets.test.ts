import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { listUnderTerms } from "../../../src/domain/search/index-tweet.ts";
import { levels, sealStep, sealTweets } from "../../../src/domain/search/seal-tweets.ts";
import { readSegments } from "../../../src/domain/search/segments.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { runDoctor } from "../../support/world/doctor.ts";
import { dyingAfter } from "../../support/world/dying-redis.ts";
import { recordJobs } from "../../support/world/promised-jobs.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts, removeTweet } from "./found-texts.ts";

const hours = 60 * 60 * 1000;
const day = 24 * hours;

const texts = (count: number) => Array.from({ length: count }, (_, nth) => `common 雀の ${nth}`);
const shown = (count: number) => texts(count).toReversed();

describe("the sealing of tweets", () => {
  let world: World;
  let author: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    await emptyRedis(world.ctx.redis);
    author = await newPerson(world.ctx);
  });
  afterAll(() => world.close());

  const find = (typed: string) => findTexts(world.ctx, typed);

  /** Tweets with the first ids. */
  async function write(all: string[], listed = all.length): Promise<void> {
    const { ctx } = world;
    const now = ctx.now() * 1000 - 1e9;
    for (const [nth, text] of all.entries()) {
      const tweet = { id: tweetId(nth + 1), author, text, createdAt: now + nth * 1000 };
      await createTweet(ctx, tweet);
      if (nth >= all.length - listed) await listUnderTerms(ctx, tweet);
    }
    await ctx.redis.set(keys.tweetIds, all.length);
  }

  async function sealAll(sizes = levels): Promise<void> {
    while (await sealStep(world.ctx, { sizes }));
  }

  const damages = async (repair = false) =>
    (await runDoctor(world, { repair })).findings.filter(({ kind }) => kind === "tweet-index");
  const openKeys = () => findKeys(world.ctx.redis, "search:*");
  const sealedKeys = () => findKeys(world.ctx.redis, "sealed:*");

  it("the job seals all but the newest tweets, step by step, and a search finds the first of them", async () => {
    await write(texts(1100), 500);
    const { ctx, promised } = recordJobs(world.ctx);
    await sealTweets(ctx);
    for (let job = promised.shift(); job !== undefined; job = promised.shift()) {
      expect(promised).toEqual([]);
      await sealTweets(ctx);
    }
    const { segments } = await readSegments(ctx);
    expect(segments.map(({ first, end }) => [first, end])).toEqual([
      [1, 513],
      [513, 1025],
    ]);
    expect(await find("common")).toEqual(shown(1100));
    expect(await find("雀の common")).toEqual(shown(1100));
    expect(await find("common 0")).toEqual(["common 雀の 0"]);
    // Of the open lists are left only those of the newest.
    expect(await ctx.redis.zcard(keys.searchTerm("common"))).toBe(1100 - 1024);
    expect(await openKeys()).not.toContain(keys.searchTerm("700"));
    expect(await damages()).toEqual([]);
  });

  it("the job is promised once for the whole site", async () => {
    const { ctx } = world;
    const chores = async (state: string) =>
      (await ctx.jobs.counts()).find((one) => one.queue === "chores" && one.state === state)
        ?.count ?? 0;
    const waiting = await chores("waiting");
    for (let times = 0; times < 5; times += 1) await ctx.jobs.chore("seal-tweets", {});
    expect(await chores("waiting")).toBe(waiting + 1);
  });

  it("neighbours become one segment, and what they were is deleted an hour later", async () => {
    await write(texts(40));
    for (const last of [4, 20, 24, 40]) {
      await world.ctx.redis.set(keys.tweetIds, last);
      await sealAll([2, 6, 18]);
    }
    const { segments, remains } = await readSegments(world.ctx);
    expect(segments.map(({ first, end }) => [first, end])).toEqual([
      [1, 19],
      [19, 37],
      [37, 39],
      [39, 41],
    ]);
    expect(remains).not.toEqual([]);
    world.pass(2 * hours);
    await sealAll([2, 6, 18]);
    const { segments: last, remains: left } = await readSegments(world.ctx);
    expect(left).toEqual([]);
    const tokens = new Set((await sealedKeys()).map((key) => key.split(":")[1]));
    expect(tokens).toEqual(new Set(last.map(({ token }) => token)));
    expect(await find("common")).toEqual(shown(40));
    // A version with other sizes joins those that are neighbours of one level.
    await sealAll([2, 4, 8, 32]);
    expect((await readSegments(world.ctx)).segments.map(({ end }) => end)).toEqual([37, 41]);
    expect(await find("common")).toEqual(shown(40));
  });

  it("a job that is killed anywhere leaves all tweets found, and nothing behind", async () => {
    for (let commands = 1; commands < 40; commands += 3) {
      await emptyRedis(world.ctx.redis);
      author = await newPerson(world.ctx);
      await write(texts(12));
      const dying = { ...world.ctx, redis: dyingAfter(world.ctx.redis, commands) };
      for (let steps = 0; steps < 3; steps += 1)
        await sealStep(dying, { sizes: [3, 9] }).catch(() => undefined);
      expect(await find("common")).toEqual(shown(12));
      await sealAll([3, 9]);
      expect(await find("common 雀")).toEqual(shown(12));
      world.pass(2 * hours);
      await sealAll([3, 9]);
      expect(await openKeys()).toEqual([]);
      expect(await damages()).toEqual([]);
    }
  });

  it("several jobs at once seal each tweet once", async () => {
    await write(texts(30));
    for (let rounds = 0; rounds < 8; rounds += 1) {
      await Promise.all([1, 2, 3].map(() => sealStep(world.ctx, { sizes: [2, 8] })));
      expect(await find("common")).toEqual(shown(30));
    }
    await sealAll([2, 8]);
    const { segments } = await readSegments(world.ctx);
    expect(segments.every(({ first }, nth) => first === (segments[nth - 1]?.end ?? 1))).toBe(true);
    expect(await openKeys()).toEqual([]);
  });

  it("the words of a deleted tweet leave the segment within a month", async () => {
    await write(["kept", "regretted", "kept too", "last"]);
    await sealAll([4]);
    const isInSegment = async () => {
      const [key = ""] = (await findKeys(world.ctx.redis, "sealed:*:0")).slice(-1);
      return (await world.ctx.redis.hkeys(key)).includes("regretted");
    };
    await removeTweet(world.ctx, tweetId(2));
    expect(await isInSegment()).toBe(true);
    world.pass(31 * day);
    await sealAll([4]);
    world.pass(2 * hours);
    await sealAll([4]);
    expect(await isInSegment()).toBe(false);
    expect(await world.ctx.redis.zcard(keys.unsealed)).toBe(0);
  });

  it("the doctor finds and mends what a segment lacks, lost segments, and leftovers", async () => {
    const { redis } = world.ctx;
    const seal = async () => {
      await emptyRedis(redis);
      author = await newPerson(world.ctx);
      await write(texts(8));
      await sealAll([8]);
      const { segments } = await readSegments(world.ctx);
      return segments[0]?.token ?? "";
    };
    const harms: ((token: string) => Promise<unknown>)[] = [
      (token) => redis.hdel(keys.sealedTerms(token, 0), "common"),
      (token) => redis.del(keys.sealedOrder(token)),
      (token) => redis.hdel(keys.sealedOrder(token), "0"),
      () => redis.hset(keys.sealedTerms("stray", 0), "word", "1"),
      () => redis.zadd(keys.searchTerm("common"), 1, 3),
    ];
    for (const [nth, harm] of harms.entries()) {
      await harm(await seal());
      expect([nth, (await damages(true)).length > 0]).toEqual([nth, true]);
      expect(await damages()).toEqual([]);
      expect(await find("common")).toEqual(shown(8));
    }
  });

  it("the lists of an earlier version are sealed, and found meanwhile", async () => {
    const { redis } = world.ctx;
    await write(texts(30));
    // It noted nothing, and its lists expire.
    await redis.del(keys.unsealed);
    for (const key of await openKeys()) await redis.expire(key, 1000);
    let steps = 0;
    for (; await sealStep(world.ctx, { sizes: [3, 9] }); steps += 1)
      expect(await find("common")).toEqual(shown(30));
    expect(steps).toBeGreaterThan(5);
    expect(await openKeys()).toEqual([]);
    expect(await find("common")).toEqual(shown(30));
    expect(await damages()).toEqual([]);
  });
});
