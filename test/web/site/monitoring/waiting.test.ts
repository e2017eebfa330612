import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userId } from "../../../../src/domain/ids.ts";
import { deliverTweet, spreadTweet } from "../../../../src/domain/actions/deliver-tweet.ts";
import { postTweet } from "../../../../src/domain/actions/post-tweet.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { newPerson } from "../../../support/actors/people.ts";
import { parseMetrics, samplesOf, sumOf } from "../../../support/inspect/prometheus.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const fromTheStart = { done: 0, save: async () => {} };

describe("the figures of work that waits", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ fanoutPage: 10 }, { workers: false });
  });
  afterAll(() => world.close());

  const read = async () =>
    parseMetrics((await request(world.app).get("/metrics").expect(200)).text);
  const delivered = async () => sumOf(await read(), "suzume_delivery_seconds_count");

  it("the oldest waiting job of each queue has its age, and an empty queue none", async () => {
    const name = "suzume_jobs_oldest_waiting_seconds";
    await world.ctx.jobs.chore("index-person", { user: userId(1) });
    await world.ctx.jobs.chore("index-person", { user: userId(1) }, "tomorrow");
    world.pass(60_000);
    await world.ctx.jobs.chore("index-person", { user: userId(2) });
    const families = await read();
    expect(sumOf(families, name, { queue: "chores" })).toBeGreaterThanOrEqual(60);
    expect(sumOf(families, name, { queue: "chores" })).toBeLessThan(600);
    expect(samplesOf(families, name, { queue: "deliver" })[0]?.value).toBe(0);
  });

  it("a tweet with many followers counts once, when the last part of its delivery is done", async () => {
    const { ctx } = world;
    const author = await newPerson(ctx);
    // More than the first job serves, without homes.
    const followers = Array.from({ length: 300 }, (_, nth) => [nth + 1, String(nth + 1000)]);
    await ctx.redis.zadd(keys.followers(author), ...followers.flat());
    const tweet = await postTweet(ctx, author, { text: "For many" });
    await deliverTweet(ctx, tweet, fromTheStart);
    expect(await ctx.jobs.counts()).toContainEqual({ queue: "spread", state: "waiting", count: 1 });
    expect(await delivered()).toBe(0);
    await spreadTweet(ctx, tweet, fromTheStart);
    expect(await delivered()).toBe(1);
  });

  it("a tweet of a big account counts when the list of big accounts has it", async () => {
    const ctx = { ...world.ctx, config: { ...world.ctx.config, bigAccountFollowers: 0 } };
    const [author, fan] = [await newPerson(ctx), await newPerson(ctx)];
    await ctx.redis.zadd(keys.followers(author), 1, fan);
    const tweet = await postTweet(ctx, author, { text: "For all" });
    const before = await delivered();
    await deliverTweet(ctx, tweet, fromTheStart);
    expect(await delivered()).toBe(before + 1);
  });
});
