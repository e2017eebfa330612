import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { type Config, parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { globalFeed, homeFeed } from "../../src/domain/feeds/feeds.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { freshProcess } from "../support/world/ending-process.ts";
import { getViewer, newPeople } from "../support/actors/people.ts";
import { testSocket } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";

const hour = 60 * 60 * 1000;

/** R25. */
describe("a process whose clock is wrong", () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterEach(() => world.close());

  const behind = (ctx: Ctx, by: number): Ctx => ({
    ...freshProcess(ctx),
    now: () => world.ctx.now() - by,
  });

  it("a process whose clock is an hour late stamps a tweet above all that it has read", async () => {
    const { ctx } = world;
    const [one, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const ids: TweetId[] = [await postTweet(ctx, one, { text: "on time" })];
    const late = behind(ctx, hour);
    await globalFeed(late, { viewer: undefined });
    for (let nth = 0; nth < 3; nth += 1)
      ids.unshift(await postTweet(late, other, { text: `late ${nth}` }));
    ids.unshift((await retweet(late, other, ids.at(-1) as TweetId)) as TweetId);
    const { items } = await homeFeed(ctx, await getViewer(ctx, other), {});
    const own = items.map((item) => (item.retweet ?? item.tweet).id);
    expect(own).toEqual(ids.filter((id) => own.includes(id)));
    const stamps = await Promise.all(ids.map(async (id) => (await getTweet(ctx, id)).createdAt));
    expect(stamps).toEqual(stamps.toSorted((a, b) => b - a));
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it("a process ignores a stamp that only a mistake can explain", async () => {
    const { ctx } = world;
    const [author] = (await newPeople(ctx, 1)) as [UserId];
    const years = behind(ctx, -365 * 24 * hour);
    await postTweet(years, author, { text: "in a year" });
    await globalFeed(freshProcess(ctx), { viewer: undefined });
    const id = await postTweet(ctx, author, { text: "today" });
    expect((await getTweet(ctx, id)).createdAt / 1000).toBeLessThan(ctx.now() + hour);
  });
});

describe("a process that boots on a machine whose clock is wrong", () => {
  const trueNow = Date.now;
  let booted: Booted;
  beforeEach(async () => {
    const world = await createWorld({}, { workers: false });
    await world.close();
  });
  afterEach(async () => {
    Date.now = trueNow;
    await booted.close();
  });

  it.each([-hour, hour])(
    "a process on a machine whose clock is wrong uses the time of Redis, %i ms off",
    async (shift) => {
      Date.now = () => trueNow() + shift;
      const silent: Config = { ...parseConfig({}), logLevel: "silent" };
      booted = await boot(silent, { socket: testSocket() });
      const { ctx } = booted;
      const isRight = () => Math.abs(ctx.now() - trueNow()) < 5000;
      await vi.waitUntil(isRight, { timeout: 10_000, interval: 20 });
      // What is promised for later is due by that clock, whatever this machine's says.
      await ctx.jobs.chore("index-person", { user: userId(1) }, "later");
      const due = await ctx.redis.zrange(`${queuePrefix}:chores:delayed`, 0, "-1", "WITHSCORES");
      const at = Math.floor(Number(due[1]) / 0x1000);
      expect(at).toBeGreaterThan(trueNow());
      expect(at).toBeLessThan(trueNow() + 60_000);
      expect(await ctx.redis.exists(keys.tweetIds)).toBe(0);
    },
  );
});
