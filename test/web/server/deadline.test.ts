import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId } from "../../../src/domain/ids.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createApp } from "../../../src/web/app.ts";
import { holdCommands } from "../../security/hold-commands.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { serve } from "../../support/world/serve.ts";
import { appOptions, createWorld, type World } from "../../support/world/world.ts";

const answerMilliseconds = 2000;

describe("a client that leaves while Redis is slow", () => {
  let world: World;
  let cookie: string;
  beforeAll(async () => {
    world = await createWorld({ answerMilliseconds }, { workers: false });
    cookie = sessionCookie(await world.visitor().signUp("leaver"));
  });
  afterAll(() => world.close());

  /** Posts a tweet, and leaves before Redis gives it an id, which takes so many milliseconds. */
  const leave = async (milliseconds: number): Promise<void> => {
    const slow = holdCommands(world.ctx, keys.tweetIds);
    const site = await serve(createApp(slow.ctx, appOptions));
    const headers = { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" };
    const where = { host: "127.0.0.1", port: site.port, method: "POST", path: "/tweets" };
    const post = request({ ...where, headers }).on("error", () => {});
    post.end("text=gone");
    await slow.waiting(1);
    post.destroy();
    await sleep(milliseconds);
    slow.release();
    await site.close();
  };
  const newest = async () => await findTweet(world.ctx, tweetId(await lastId()));
  const lastId = async () => (await world.ctx.redis.get(keys.tweetIds)) ?? "1";

  it("what it sent is done within the time of an answer", async () => {
    await leave(0);
    await expect.poll(newest).toMatchObject({ text: "gone" });
  });

  it("nothing more is done after the time of an answer", async () => {
    const before = await lastId();
    await leave(answerMilliseconds + 500);
    await sleep(200);
    expect(await lastId()).toBe(before);
    expect(world.logged.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});
