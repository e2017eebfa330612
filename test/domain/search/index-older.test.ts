import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { searchPeople } from "../../../src/domain/search/find-people.ts";
import {
  askForIndexing,
  indexOlder,
  isIndexing,
  resumeIndexing,
  retiredTerms,
} from "../../../src/domain/search/index-older.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { runDoctor } from "../../support/world/doctor.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts } from "./found-texts.ts";

describe("the indexing of what an earlier version indexed", () => {
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
  /** As far as a tweet of an earlier version was listed: under these terms. */
  async function postAsBefore(text: string, terms: string[]) {
    const id = await postTweet(world.ctx, author, { text });
    const { createdAt } = await getTweet(world.ctx, id);
    for (const term of terms) await world.ctx.redis.zadd(keys.searchTerm(term), createdAt, id);
    return id;
  }
  /** Jobs that wait. */
  async function promised(): Promise<number> {
    const all = await Promise.all(world.queues.all().map((queue) => queue.getWaiting()));
    return all.flat().filter(({ name }) => name === "index-older").length;
  }
  async function finish(): Promise<void> {
    for (let steps = 0; await isIndexing(world.ctx); steps += 1) {
      expect(steps).toBeLessThan(20);
      await indexOlder(world.ctx);
    }
  }

  it("old tweets and people are found by all their terms, and retired lists are gone", async () => {
    const { ctx } = world;
    await postAsBefore("Sparrows at a Café", ["sparrows", "at", "a", "café"]);
    await postAsBefore("雀のパン #birds", ["雀の", "のパ", "パン", "birds"]);
    await postAsBefore("never listed", []);
    const id = await createUser(ctx, { name: "kenta", fullname: "田中健太", pass: "none" });
    await ctx.redis.zadd(keys.searchPeople("田"), 0, `田中健太 ${id}`);
    await ctx.redis.set(keys.indexedPerson(id), `田中健太 ${id}`);
    expect(await find("sparrow")).toEqual([]);
    await askForIndexing(ctx);
    await askForIndexing(ctx);
    await finish();
    for (const typed of ["sparrow", "sparrows", "cafe", "CAFÉ"])
      expect([typed, await find(typed)]).toEqual([typed, ["Sparrows at a Café"]]);
    for (const typed of ["雀", "パン", "ぱん", "bird", "#birds"])
      expect([typed, await find(typed)]).toEqual([typed, ["雀のパン #birds"]]);
    expect(await find("list never")).toEqual([]);
    expect(await find("listed never")).toEqual(["never listed"]);
    const { people } = await searchPeople(ctx, undefined, "健太", undefined);
    expect(people.map(({ name }) => name)).toEqual(["kenta"]);
    const left = await findKeys(ctx.redis, "search:*");
    for (const term of ["sparrows", "café", "のパ", "パン"])
      expect(left).not.toContain(keys.searchTerm(term));
    expect(left).toContain(keys.searchTerm("雀の"));
  });

  it("the indexing goes on where it stopped, and two jobs at a time do no harm", async () => {
    const { ctx } = world;
    const first = await postAsBefore("the first", []);
    await ctx.redis.set(keys.tweetIds, 1600);
    await postAsBefore("the last", []);
    await askForIndexing(ctx);
    await Promise.all([indexOlder(ctx), indexOlder(ctx)]);
    expect(await find("the")).toEqual([]);
    expect(await promised()).toBe(1);
    await Promise.all([indexOlder(ctx), indexOlder(ctx), indexOlder(ctx)]);
    expect(await find("the")).toEqual(["the last"]);
    expect(await isIndexing(ctx)).toBe(true);
    await finish();
    expect(await find("the")).toEqual(["the last", "the first"]);
    await indexOlder(ctx);
    await deleteTweet(ctx, author, first);
    expect(await find("the")).toEqual(["the last"]);
  });

  it("the doctor takes what waits for the indexing as not damaged", async () => {
    const { ctx, queues } = world;
    const id = await createUser(ctx, { name: "kenta", fullname: "田中健太", pass: "none" });
    await ctx.redis.set(keys.indexedPerson(id), `田中健太 ${id}`);
    const found = async () =>
      (await runDoctor(world)).findings.filter(({ kind }) => kind === "people-index");
    for (const queue of queues.all()) await queue.drain(true);
    await askForIndexing(ctx);
    await resumeIndexing(ctx);
    expect(await found()).toEqual([]);
    for (const queue of queues.all()) await queue.drain(true);
    expect(await found()).not.toEqual([]);
    await finish();
    expect(await found()).toEqual([]);
  });

  it("nothing is indexed of tweets and users that are gone", async () => {
    const { ctx } = world;
    const id = await postAsBefore("gone", []);
    await deleteTweet(ctx, author, id);
    await ctx.redis.del(keys.user(userId(author)));
    await askForIndexing(ctx);
    await finish();
    expect(await findKeys(ctx.redis, "search:*")).toEqual([]);
    expect(await findKeys(ctx.redis, "people:*")).toEqual([]);
  });

  it("retired terms are those that no search asks for", () => {
    const text = "Sparrows' café, box: パンの雀 雀\u{FE00}の ЁЛКА";
    expect(retiredTerms(text)).toEqual(["sparrows", "café", "パン", "ンの", "ёлка"]);
    expect(retiredTerms("sparrow cafe 雀の ぱん")).toEqual([]);
  });
});
