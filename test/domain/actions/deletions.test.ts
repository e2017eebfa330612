import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import { reconcileDeletion } from "../../../src/domain/actions/delete-cleanup.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { keys } from "../../../src/redis/keys.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { buryTweet } from "../../../src/domain/tweets/store.ts";
import { newPeople, postAndDeliver, readUserPage } from "../../support/actors/people.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  type World,
} from "../../support/world/world.ts";

describe("deletions in several processes", () => {
  let world: World;
  let elsewhere: RedisClient;
  let here: Ctx;
  let there: Ctx;
  let memory: Memory;
  let author: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    here = world.ctx;
    elsewhere = connectToTestRedis("web", here.config);
    await waitUntilReady(elsewhere, 5000);
    memory = await openMemory(elsewhere, here.config);
    there = contextWithDeadlines({ ...here, redis: elsewhere, memory });
    [author] = (await newPeople(here, 1)) as [UserId];
  });
  afterAll(async () => {
    memory.close();
    elsewhere.disconnect();
    await world.close();
  });

  async function shown(ctx: Ctx): Promise<string[]> {
    return (await readUserPage(ctx, author)).items.map((tweet) => tweet.id);
  }

  it("all processes learn of a deletion at once", async () => {
    const id = await postAndDeliver(here, author, "regretted");
    expect(await shown(here)).toContain(id);
    expect(await shown(there)).toContain(id);
    await deleteTweet(there, author, id);
    expect(await shown(here)).not.toContain(id);
    expect(await shown(there)).not.toContain(id);
  });

  it("the rest of a deletion with very many likes is done in parts, to its end", async () => {
    const id = await postAndDeliver(here, author, "liked by all");
    const likers = Array.from({ length: 2500 }, (_, nth) => [nth + 1, String(900_000 + nth)]);
    await here.redis.zadd(keys.tweetLikes(id), ...likers.flat());
    await buryTweet(here, id, 1);
    const promised: unknown[] = [];
    const chore = async (...one: unknown[]) => void promised.push(one);
    const ctx: Ctx = { ...here, jobs: { ...here.jobs, chore } };
    await reconcileDeletion(ctx, id);
    expect(await here.redis.zcard(keys.tweetLikes(id))).toBe(500);
    expect(promised).toEqual([["reconcile-deletion", { tweet: id }]]);
    await reconcileDeletion(ctx, id);
    expect(await here.redis.zcard(keys.tweetLikes(id))).toBe(0);
    expect(promised).toHaveLength(1);
  });

  it("a deletion that stops after the tombstone is finished by its job", async () => {
    const asked = await postAndDeliver(here, author, "a question");
    const reply = await postTweet(here, author, { text: "an answer", replyTo: asked });
    await buryTweet(here, reply, 1);
    await runChore(here, "reconcile-deletion", { tweet: reply });
    expect((await readCounts(there, [asked])).get(asked)?.replies).toBe(0);
    expect(await shown(here)).not.toContain(reply);
    expect(await here.redis.zscore(keys.userTimeline(author), reply)).toBeNull();
  });
});
