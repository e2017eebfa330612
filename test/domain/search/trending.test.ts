import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { trendingTags } from "../../../src/domain/search/trending.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { indexedAs, unindexIfGone } from "../../../src/domain/search/index-tweet.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const minute = 60_000;

describe("trending tags", () => {
  const worlds: World[] = [];
  let world: World;
  let people: UserId[];
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    worlds.push(world);
    people = await newPeople(world.ctx, 4);
  });
  afterAll(async () => {
    for (const one of worlds) await one.close();
  });

  const use = async (nth: number, text: string) =>
    await postAndDeliver(world.ctx, people[nth] as UserId, text);

  it("trending tags are ranked by users, then by the latest use", async () => {
    await use(0, "#alone #Birds");
    for (let times = 0; times < 5; times += 1) await use(0, "#alone #alone");
    await use(1, "#birds");
    const again = await use(2, "#birds #日本語");
    await deliverAll(world.ctx, again);
    await use(3, "#日本語");
    await use(3, "#last");
    expect(await trendingTags(world.ctx)).toEqual([
      { tag: "birds", people: 3 },
      { tag: "日本語", people: 2 },
      { tag: "last", people: 1 },
      { tag: "alone", people: 1 },
    ]);
  });

  it("a tweet of very many tags counts for its first few, and pushes out no others", async () => {
    await use(0, "#birds");
    const tags = Array.from({ length: 90 }, (_, nth) => `#${String.fromCodePoint(0x4e00 + nth)}`);
    await use(1, tags.join(" "));
    const trends = await trendingTags(world.ctx);
    expect(trends.map(({ tag }) => tag).toSorted()).toEqual(
      ["birds", "一", "丁", "丂", "七"].toSorted(),
    );
  });

  it("trending tags are of the last 24 hours, and ten at most", async () => {
    await use(0, "#yesterday");
    world.pass(25 * 60 * minute);
    expect(await trendingTags(world.ctx)).toEqual([]);
    for (let nth = 0; nth < 12; nth += 1) await use(1, `#tag${nth}`);
    world.pass(2 * minute);
    expect(await trendingTags(world.ctx)).toHaveLength(10);
    expect(await world.ctx.redis.zcard(keys.tagUses)).toBe(12);
  });

  it("trending tags are counted once a minute", async () => {
    await use(0, "#first");
    expect(await trendingTags(world.ctx)).toHaveLength(1);
    await use(0, "#second");
    expect(await trendingTags(world.ctx)).toHaveLength(1);
    world.pass(minute);
    expect(await trendingTags(world.ctx)).toHaveLength(2);
  });

  it("trending tags leave out authors who are suspended or protected by now", async () => {
    for (const nth of [0, 1, 2]) await use(nth, `#by${nth}`);
    await world.ctx.redis.hset(keys.user(people[0] as UserId), "protected", "1");
    await suspendUser(world.ctx, (await findUser(world.ctx, people[1] as UserId)) as User);
    await world.ctx.memory.settled();
    expect(await trendingTags(world.ctx)).toEqual([{ tag: "by2", people: 1 }]);
  });

  it("trending tags do not count deleted tweets, but the user's other tweets", async () => {
    await use(0, "#kept");
    for (const text of ["#kept again", "#gone"]) {
      const id = await use(0, text);
      const tweet = await getTweet(world.ctx, id);
      await deleteTweet(world.ctx, tweet.author, id);
      await unindexIfGone(world.ctx, indexedAs(tweet));
    }
    expect(await trendingTags(world.ctx)).toEqual([{ tag: "kept", people: 1 }]);
  });
});
