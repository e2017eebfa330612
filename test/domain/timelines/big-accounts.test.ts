import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { homeEntries } from "../../../src/domain/timelines/home.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import { keys } from "../../../src/redis/keys.ts";
import { bigSteps } from "./big-accounts-steps.ts";
import { BigAccountsModel, floodBig } from "./big-accounts-model.ts";
import {
  expireHome,
  readHomePage,
  newPeople,
  readHomeIds,
  postAndDeliver,
  storedHome,
} from "../../support/actors/people.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  type World,
} from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("big accounts in several processes", () => {
  let world: World;
  let elsewhere: RedisClient;
  let here: Ctx;
  let there: Ctx;
  let memory: Memory;
  beforeAll(async () => {
    const small = { bigAccountFollowers: 3, timelineCap: 12, fanoutPage: 2 };
    world = await createWorld(small, { workers: false });
    here = world.ctx;
    elsewhere = connectToTestRedis("web", here.config);
    await waitUntilReady(elsewhere, 5000);
    memory = await openMemory(elsewhere, here.config);
    there = contextWithDeadlines({ ...here, redis: elsewhere, memory });
  });
  beforeEach(async () => {
    await here.redis.del(keys.bigTimeline);
    // By then no process has it in memory.
    world.pass(60_000);
  });
  afterAll(async () => {
    memory.close();
    elsewhere.disconnect();
    await world.close();
  });

  /** A user with four followers, one more than a big account needs. */
  async function newStar(): Promise<{ star: UserId; fans: UserId[] }> {
    const [star, ...fans] = (await newPeople(here, 5)) as [UserId, ...UserId[]];
    for (const fan of fans) await follow(here, { follower: fan, followee: star });
    return { star, fans };
  }

  async function sayOften(author: UserId, times: number): Promise<TweetId[]> {
    const ids: TweetId[] = [];
    for (let nth = 0; nth < times; nth += 1)
      ids.unshift(await postAndDeliver(here, author, `number ${nth}`));
    return ids;
  }

  /** In both processes, few at a time and page by page, once they had time to hear of everything. */
  async function expectHome(user: UserId, expected: TweetId[]) {
    world.pass(1000);
    for (const ctx of [here, there])
      for (const limit of [2, 4, 7]) expect(await readEntryIds(ctx, user, limit)).toEqual(expected);
    for (const ctx of [here, there]) expect(await readHomeIds(ctx, user)).toEqual(expected);
  }

  /** What is gone may still be stored, but what does not belong there may not. */
  async function expectStory(story: BigAccountsModel, user: UserId) {
    world.pass(1000);
    const { entries, shown } = story.expected(user);
    for (const ctx of [here, there])
      for (const limit of [2, 4, 7]) {
        const ids = await readEntryIds(ctx, user, limit);
        expect(ids.filter((id) => !story.writings.isGone(id))).toEqual(entries);
      }
    for (const ctx of [here, there]) expect(await readHomeIds(ctx, user)).toEqual(shown);
  }

  it("big accounts do not concern a user who follows none", async () => {
    const { star } = await newStar();
    const [author, reader] = (await newPeople(here, 2)) as [UserId, UserId];
    await follow(here, { follower: reader, followee: author });
    const own = await sayOften(author, 5);
    const entries = await storedHome(here, reader);
    await sayOften(star, 5);
    expect(await storedHome(here, reader)).toEqual(entries);
    await expectHome(reader, own);
  });

  it("a home with big accounts pages on, though most is stored as well and more was cut off", async () => {
    const { star, fans } = await newStar();
    const ids = await sayOften(star, 40);
    const [fan] = fans as [UserId];
    await expireHome(here, fan);
    await expectHome(fan, ids);
  });

  it("an unfollowed big account leaves home at once, in every process", async () => {
    const { star, fans } = await newStar();
    const [fan] = fans as [UserId];
    const edge = { follower: fan, followee: star };
    await sayOften(star, 5);
    await unfollow(here, edge);
    await sayOften(star, 1);
    await follow(here, edge);
    await sayOften(star, 20);
    world.pass(1000);
    expect((await readHomePage(there, fan)).items).toHaveLength(26);
    await unfollow(here, edge);
    expect(await readHomeIds(there, fan)).toEqual([]);
    await expectHome(fan, []);
  });

  it("processes learn of new tweets of big accounts within half a second", async () => {
    const { star, fans } = await newStar();
    const [fan] = fans as [UserId];
    for (const ctx of [here, there]) expect(await readHomeIds(ctx, fan)).toEqual([]);
    const tweet = await postAndDeliver(here, star, "news");
    world.pass(500);
    for (const ctx of [here, there]) expect(await readHomeIds(ctx, fan)).toEqual([tweet]);
    await deleteTweet(there, star, tweet);
    for (const ctx of [here, there]) expect(await readHomeIds(ctx, fan)).toEqual([]);
  });

  it("big accounts are complete where one tweet was deleted while another came late", async () => {
    const { star, fans } = await newStar();
    const [fan] = fans as [UserId];
    world.pass(-300_000);
    const late = await postAndDeliver(here, star, "late");
    const { createdAt } = await getTweet(here, late);
    await here.redis.zrem(keys.bigTimeline, `${late}:${star}`);
    const regretted = await postAndDeliver(here, star, "regretted");
    world.pass(300_000);
    const punctual = await postAndDeliver(here, star, "on time");
    await expectHome(fan, [punctual, regretted]);
    await deleteTweet(here, star, regretted);
    await here.redis.zadd(keys.bigTimeline, createdAt, `${late}:${star}`);
    world.pass(60_000);
    await expectHome(fan, [punctual, late]);
  });

  it("big accounts are read from their own timelines where the common one was cut", async () => {
    const { star, fans } = await newStar();
    const [fan] = fans as [UserId];
    const old = await sayOften(star, 20);
    await expectHome(fan, old);
    await floodBig(here, here.now() * 1000);
    expect(await here.redis.zscore(keys.bigTimeline, `${old[0]}:${star}`)).toBeNull();
    world.pass(60_000);
    const young = await sayOften(star, 5);
    await expectHome(fan, [...young, ...old]);
  });

  it("a reader misses no tweet while the common timeline is cut", async () => {
    const { star, fans } = await newStar();
    const [fan] = fans as [UserId];
    const ids = await sayOften(star, 30);
    await floodBig(here, here.now() * 1000);
    const floods = Array.from({ length: 20 }, (_, nth) => (here.now() + nth * 20) * 1000);
    const cut = async () => {
      for (let since = floods.shift(); since !== undefined; since = floods.shift())
        await floodBig(there, since);
    };
    const read = async () => {
      while (floods.length > 0) {
        world.pass(1000);
        expect(await readEntryIds(here, fan, 7)).toEqual(ids);
      }
    };
    await Promise.all([cut(), read(), read(), read()]);
  });

  // The last one: a round that the time limit cuts short goes on in the background.
  it("homes with big accounts lose and repeat nothing, in several processes, after any actions", async () => {
    await fc.assert(
      fc.asyncProperty(bigSteps, async (happened) => {
        const story = await BigAccountsModel.begin(here, there);
        for (const step of happened) await story.happen(step);
        await story.deliverRest();
        for (const reader of story.readers) await expectStory(story, reader);
      }),
      runs(30, 15_000),
    );
  });
});

async function readEntryIds(ctx: Ctx, user: UserId, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let before: number | undefined; ;) {
    const entries = await homeEntries(ctx, user, { before, limit });
    ids.push(...entries.map((entry) => entry.id));
    if (entries.length < limit) return ids;
    before = entries.at(-1)?.stamp;
  }
}
