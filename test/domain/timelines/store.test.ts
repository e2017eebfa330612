import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, userId } from "../../../src/domain/ids.ts";
import {
  removeFromTimelines,
  globalEntries,
  addToTimelines,
  userEntries,
} from "../../../src/domain/timelines/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("author and public timelines", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const newest = { before: undefined, limit: 3 };
  const author = userId(1);

  it("author and public timelines list a tweet once, until it is removed", async () => {
    const placed = { tweet: tweetId(7), author, stamp: 7000 };
    await addToTimelines(world.ctx, placed);
    await addToTimelines(world.ctx, placed);
    const entry = { id: "7", stamp: 7000 };
    expect(await userEntries(world.ctx, author, newest)).toEqual([entry]);
    expect(await globalEntries(world.ctx, newest)).toEqual([entry]);
    expect(await countTweets(world.ctx, author)).toBe(1);
    await removeFromTimelines(world.ctx, [placed]);
    await removeFromTimelines(world.ctx, [placed]);
    expect(await userEntries(world.ctx, author, newest)).toEqual([]);
    expect(await globalEntries(world.ctx, newest)).toEqual([]);
  });

  it("the public timeline keeps the newest 10,000 tweets, an author's keeps all", async () => {
    const { redis } = world.ctx;
    const flat = Array.from({ length: 10_000 }, (_, nth) => [nth + 1, nth + 1]).flat();
    await redis.zadd(keys.globalTimeline, ...flat);
    await addToTimelines(world.ctx, { tweet: tweetId(20_000), author, stamp: 20_000 });
    expect(await redis.zcard(keys.globalTimeline)).toBe(10_000);
    expect(await globalEntries(world.ctx, { before: undefined, limit: 1 })).toEqual([
      { id: "20000", stamp: 20_000 },
    ]);
    expect(await redis.zscore(keys.globalTimeline, "1")).toBeNull();
  });
});
