import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import { tweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import { deliverTo } from "../../../src/domain/timelines/delivery.ts";
import {
  allHomeEntries,
  fillHome,
  ensureHome,
  keptWhenCut,
  readHome,
  removeFromHome,
} from "../../../src/domain/timelines/home-store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { storedHome } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const { timelineCap: defaultCap } = parseConfig({
  SESSION_SECRET: "only-for-a-test-only-for-a-test-only",
});
const entriesOf = (...stamps: number[]) => stamps.map((stamp) => ({ id: String(stamp), stamp }));

describe("a stored home timeline", () => {
  let world: World;
  let nobody = 0;
  beforeAll(async () => {
    world = await createWorld({ timelineCap: 10, timelineTtlDays: 2 }, { workers: false });
  });
  afterAll(() => world.close());

  const newest = { before: undefined, limit: 20 };
  async function newHome(floor: 0 | "+inf"): Promise<UserId> {
    nobody += 1;
    const user = userId(nobody);
    await ensureHome(world.ctx, user, floor);
    return user;
  }

  async function deliver(user: UserId, ...stamps: number[]): Promise<void> {
    for (const stamp of stamps)
      await deliverTo(world.ctx, { tweet: tweetId(stamp), author: userId(999), stamp }, [user]);
  }

  it("a home timeline does not exist until it is built", async () => {
    expect(await readHome(world.ctx, userId(500), newest)).toBeUndefined();
    const all = { whose: "all" as const, entries: entriesOf(5), floor: 0 };
    expect(await fillHome(world.ctx, userId(500), all)).toBe("absent");
    expect(await storedHome(world.ctx, userId(500))).toEqual([]);
  });

  it("an empty home timeline exists, so that deliveries find it", async () => {
    const user = await newHome(0);
    expect(await readHome(world.ctx, user, newest)).toEqual({ floor: 0, entries: [] });
    await deliver(user, 7);
    await removeFromHome(world.ctx, user, [tweetId(7)]);
    await deliver(user, 8);
    expect(await allHomeEntries(world.ctx, user)).toEqual(entriesOf(8));
  });

  it("a home timeline lives as long as it is read", async () => {
    const { redis } = world.ctx;
    const user = await newHome(0);
    const key = keys.homeTimeline(user);
    expect(await redis.ttl(key)).toBeGreaterThan(2 * 86_400 - 5);
    for (const look of [
      () => readHome(world.ctx, user, newest),
      () => ensureHome(world.ctx, user, "+inf"),
    ]) {
      await redis.expire(key, 100);
      await deliver(user, 9);
      expect(await redis.ttl(key)).toBeLessThanOrEqual(100);
      await look();
      expect(await redis.ttl(key)).toBeGreaterThan(2 * 86_400 - 5);
    }
    expect(await readHome(world.ctx, user, newest)).toMatchObject({ floor: 0 });
  });

  it("a home timeline with a TTL of a single day lives as long as it is read", async () => {
    const user = await newHome(0);
    const ctx = { ...world.ctx, config: { ...world.ctx.config, timelineTtlDays: 1 } };
    await world.ctx.redis.expire(keys.homeTimeline(user), 3600);
    await readHome(ctx, user, newest);
    expect(await world.ctx.redis.ttl(keys.homeTimeline(user))).toBeGreaterThan(86_400 - 5);
  });

  it("a new home timeline is marked as not filled", async () => {
    const user = await newHome("+inf");
    await deliver(user, 7);
    expect(await readHome(world.ctx, user, newest)).toEqual({ floor: Infinity, entries: [] });
    await fillHome(world.ctx, user, { whose: "all", entries: entriesOf(6, 5), floor: 5 });
    const filled = { floor: 5, entries: entriesOf(7, 6, 5) };
    expect(await readHome(world.ctx, user, newest)).toEqual(filled);
  });

  it("the tweets of one author do not fill a home timeline", async () => {
    const user = await newHome("+inf");
    const some = { whose: "some" as const, entries: entriesOf(6), floor: 0 };
    expect(await fillHome(world.ctx, user, some)).toBe("unfilled");
    expect(await storedHome(world.ctx, user)).toEqual(["floor", "inf"]);
  });

  it("the floor of a home timeline only rises", async () => {
    const user = await newHome(0);
    await fillHome(world.ctx, user, { whose: "some", entries: entriesOf(9, 8), floor: 8 });
    await fillHome(world.ctx, user, { whose: "all", entries: entriesOf(9, 7, 6), floor: 0 });
    const stored = { floor: 8, entries: entriesOf(9, 8) };
    expect(await readHome(world.ctx, user, newest)).toEqual(stored);
  });

  it("a home timeline beyond the cap is cut to its newest tweets, and knows it", async () => {
    const user = await newHome(0);
    await deliver(user, 10, 20, 30, 40, 50, 60, 70, 80, 90);
    expect(await readHome(world.ctx, user, newest)).toMatchObject({ floor: 0 });
    await deliver(user, 100);
    const kept = entriesOf(100, 90, 80, 70, 60, 50, 40, 30, 20);
    expect(await readHome(world.ctx, user, newest)).toEqual({ floor: 20, entries: kept });
    const many = entriesOf(...Array.from({ length: 30 }, (_, nth) => 200 - nth));
    await fillHome(world.ctx, user, { whose: "some", entries: many, floor: 171 });
    expect(await world.ctx.redis.zcard(keys.homeTimeline(user))).toBe(keptWhenCut(10));
    expect(await readHome(world.ctx, user, newest)).toMatchObject({ floor: 194 });
  });

  it.each(["a delivery", "a follow"])(
    "a home timeline that was filled under a larger cap is short and compact after %s",
    async (event) => {
      const { ctx } = world;
      const former = { ...ctx, config: { ...ctx.config, timelineCap: 800 } };
      const user = await newHome(0);
      const home = keys.homeTimeline(user);
      const many = entriesOf(...Array.from({ length: 700 }, (_, nth) => 1000 + nth));
      await fillHome(former, user, { whose: "all", entries: many, floor: 0 });
      expect(await ctx.redis.object("ENCODING", home)).toBe("skiplist");
      const some = { whose: "some" as const, entries: entriesOf(2000), floor: 0 };
      await (event === "a follow" ? fillHome(ctx, user, some) : deliver(user, 2000));
      expect(await ctx.redis.object("ENCODING", home)).toBe("listpack");
      expect(await ctx.redis.zcard(home)).toBeLessThanOrEqual(10);
      expect(await ctx.redis.ttl(home)).toBeGreaterThan(2 * 86_400 - 5);
      const { floor = 0, entries = [] } = (await readHome(ctx, user, newest)) ?? {};
      expect(entries).toEqual(
        entriesOf(2000, ...many.map(({ stamp }) => stamp).toReversed()).slice(0, entries.length),
      );
      expect(floor).toBe(entries.at(-1)?.stamp);
    },
  );

  it("a full home timeline is compact with the settings of Redis as they come", async () => {
    const ctx = { ...world.ctx, config: { ...world.ctx.config, timelineCap: defaultCap } };
    const user = await newHome("+inf");
    const many = entriesOf(...Array.from({ length: defaultCap }, (_, nth) => 1000 + nth));
    await fillHome(ctx, user, { whose: "all", entries: many, floor: 0 });
    for (let stamp = 2000; stamp < 2300; stamp += 1) {
      const placed = { tweet: tweetId(stamp), author: userId(999), stamp };
      await deliverTo(ctx, placed, [user]);
    }
    const home = keys.homeTimeline(user);
    expect(await ctx.redis.object("ENCODING", home)).toBe("listpack");
    expect(await ctx.redis.memory("USAGE", home)).toBeLessThan(4000);
    // A page with as much again for what it leaves out.
    expect((await readHome(ctx, user, { before: undefined, limit: 102 }))?.entries).toHaveLength(
      102,
    );
  });

  it("a late tweet below the floor is not part of a home timeline", async () => {
    const user = await newHome(0);
    await fillHome(world.ctx, user, { whose: "all", entries: entriesOf(90, 80), floor: 80 });
    await deliver(user, 70, 85);
    const trusted = { floor: 80, entries: entriesOf(90, 85, 80) };
    expect(await readHome(world.ctx, user, newest)).toEqual(trusted);
  });

  it("a home timeline that was cut before it was filled is incomplete below the cut", async () => {
    const user = await newHome("+inf");
    await deliver(user, ...Array.from({ length: 14 }, (_, nth) => 100 + nth));
    await fillHome(world.ctx, user, { whose: "all", entries: entriesOf(50, 40), floor: 0 });
    const home = await readHome(world.ctx, user, newest);
    expect(home?.floor).toBeGreaterThanOrEqual(104);
    expect(home?.entries.at(-1)?.stamp).toBe(home?.floor);
  });

  it("a home timeline is read in ranges, with all entries that share the last stamp", async () => {
    const user = await newHome(0);
    await fillHome(world.ctx, user, {
      whose: "all",
      entries: [...entriesOf(9, 8), { id: "1008", stamp: 8 }, ...entriesOf(7)],
      floor: 0,
    });
    const two = await readHome(world.ctx, user, { before: undefined, limit: 2 });
    expect(two?.entries.map((entry) => entry.stamp)).toEqual([9, 8, 8]);
    const rest = await readHome(world.ctx, user, { before: 8, limit: 2 });
    expect(rest?.entries).toEqual(entriesOf(7));
  });
});

describe("keptWhenCut", () => {
  it("keptWhenCut is a little below the cap", () => {
    expect(keptWhenCut(128)).toBe(112);
    expect(keptWhenCut(50)).toBe(43);
  });
});
