import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../../src/domain/actions/follow.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

/** More than are asked through the memory for a page of home. */
const authors = 60;
/** More than home keeps. */
const tweets = 140;

describe("streams of many authors", () => {
  let stage: StreamingScene;
  beforeAll(async () => {
    stage = await createStreamingScene();
  });
  afterAll(async () => {
    stage.leave();
    await stage.close();
  });

  it("a busy home and a long list cost no polling while nothing happens, and hear of the next event", async () => {
    const { world } = stage.two;
    const { ctx } = world;
    const [reader, author] = [
      await getUserByName(ctx, "reader"),
      await getUserByName(ctx, "author"),
    ];
    const people = await newPeople(ctx, authors);
    for (const followee of people) await follow(ctx, { follower: reader.id, followee });
    const api = await ApiClient.of(world, "reader");
    const { id } = (await api.post("/api/v1/lists", { title: "many" }).expect(200)).body as {
      id: string;
    };
    const members = { account_ids: [author.id, ...people] };
    await api.post(`/api/v1/lists/${id}/accounts`, members).expect(200);
    for (let nth = 0; nth < tweets; nth += 1) await postAndDeliver(ctx, author.id, `busy ${nth}`);
    await world.delivered();

    const home = await stage.listens("/user");
    const list = await stage.listens(`/list?list=${id}`);
    const asked = () => ctx.memory.stats().hits + ctx.memory.stats().misses;
    // What they began with comes to its end.
    let isQuiet = false;
    for (let tries = 0; tries < 8 && !isQuiet; tries += 1) {
      const before = asked();
      await sleep(2500);
      isQuiet = asked() === before;
    }
    expect(isQuiet).toBe(true);
    await stage.author.here.tweet("something new");
    await home.hearsTweet("something new");
    await list.hearsTweet("something new");
  }, 180_000);
});
