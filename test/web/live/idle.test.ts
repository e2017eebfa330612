import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";
import { openEventStream, type EventStream } from "../../support/actors/event-stream.ts";

describe("idle streams", () => {
  let stage: StreamingScene;
  let page: EventStream | undefined;
  beforeAll(async () => {
    stage = await createStreamingScene();
    await stage.author.here.tweet("hello");
    await stage.two.world.delivered();
  });
  afterAll(async () => {
    page?.leave();
    stage.leave();
    await stage.close();
  });

  it("open pages and apps cost no polling while nothing happens, and hear of the next event", async () => {
    const { memory } = stage.two.world.ctx;
    const { port } = stage.site;
    const looker = await stage.two.newcomer("looker");
    await looker.here.follow("author");
    await stage.two.world.delivered();
    page = await openEventStream(port, `/live?after=${Date.now() * 1000}`, {
      Cookie: looker.cookie,
    });
    const app = await stage.listens("/user");
    const counted = () => memory.stats().hits + memory.stats().misses;
    // What they began with, and what jobs have still to do, comes to its end.
    const quiet = async () => {
      const before = counted();
      await sleep(2500);
      return counted() === before;
    };
    let isQuiet = false;
    for (let tries = 0; tries < 8 && !isQuiet; tries += 1) isQuiet = await quiet();
    expect(isQuiet).toBe(true);
    await stage.author.here.tweet("something new");
    await page.hears("home", "1");
    await app.hearsTweet("something new");
  });
});
