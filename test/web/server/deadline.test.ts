import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { tweetId } from "../../../src/domain/ids.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createApp } from "../../../src/web/app.ts";
import { holdCommands } from "../../security/hold-commands.ts";
import { pausingBeforeEach } from "../../support/world/ending-process.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { serve } from "../../support/world/serve.ts";
import { appOptions, createWorld, type World } from "../../support/world/world.ts";

const answerMilliseconds = 2000;

describe("a form", () => {
  let world: World;
  let cookie: string;
  beforeAll(async () => {
    world = await createWorld({ answerMilliseconds, memoryBytes: 0 }, { workers: false });
    cookie = sessionCookie(await world.visitor().signUp("sender"));
  });
  afterAll(() => world.close());

  /** Status of the answer; undefined before it is there. */
  async function post(ctx: Ctx, { lastByteAt = 0 } = {}) {
    const site = await serve(createApp(ctx, appOptions));
    const answer: { status?: number | undefined } = {};
    const where = { host: "127.0.0.1", port: site.port, method: "POST", path: "/tweets" };
    const headers = {
      Cookie: cookie,
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": 9,
    };
    const sending = request({ ...where, headers }, (res) => {
      answer.status = res.statusCode;
      res.resume();
    });
    sending.on("error", () => {});
    sending.write("text=lat");
    await sleep(lastByteAt);
    sending.end("e");
    return { answer, site };
  }

  it("that is read late, as Redis was asked before, is answered in its time", async () => {
    const began = performance.now();
    const first = pausingBeforeEach(world.ctx, ["call"], () => {
      const left = began + answerMilliseconds - 100 - performance.now();
      return left > 0 ? sleep(left) : undefined;
    });
    const never = holdCommands(first, keys.tweetIds);
    const { answer, site } = await post(never.ctx);
    await sleep(answerMilliseconds + 500);
    // It may be on its way to here.
    await expect.poll(() => answer.status, { timeout: 1000 }).toBe(503);
    never.release();
    await site.close();
  });

  it("that arrives late leaves Redis some time", { retry: 2 }, async () => {
    const slow = holdCommands(world.ctx, keys.tweetIds);
    const { answer, site } = await post(slow.ctx, { lastByteAt: answerMilliseconds - 50 });
    await sleep(400);
    expect(answer.status).toBeUndefined();
    slow.release();
    await expect.poll(() => answer.status).toBe(303);
    await site.close();
  });
});

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
