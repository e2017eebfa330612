import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { type TweetId, tweetId, type UserId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { promiseAlert } from "../../src/jobs/alerts.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { startWorkers } from "../../src/jobs/workers.ts";
import { keys } from "../../src/redis/keys.ts";
import { type Cleanups, startMoreWorkers } from "./context-with-workers.ts";
import { newPerson, readHomeIds } from "../support/actors/people.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";
import { findKeys } from "../support/world/redis-nodes.ts";

const patience = { timeout: 10_000, interval: 10 };

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A webhook at a port of this machine. */
async function startWebhook(
  answer: RequestListener,
  at = 0,
): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (chunk) => (body += String(chunk)));
    req.on("end", () => {
      heard.push(`${req.method} ${req.headers["content-type"]} ${body}`);
      answer(req, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", () => resolve()));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, heard };
}

async function startWorld(settings: Partial<Config>): Promise<World> {
  const world = await createWorld(settings);
  cleanups.push(() => world.close());
  return world;
}

let poisons = 1_000_000;

/** The delivery of something that is no tweet, which gives up soon. */
async function failForGood(world: World): Promise<{ job: string; tweet: TweetId }> {
  const tweet = tweetId((poisons += 1));
  await world.ctx.redis.set(keys.tweet(tweet), "no hash");
  const queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
  const opts = { attempts: 2, backoff: { type: "fixed", delay: 10 }, removeOnFail: false };
  const job = await queue.add("deliver", { tweet }, opts);
  await world.delivered();
  expect(await job.getState()).toBe("failed");
  await queue.close();
  return { job: job.id ?? "", tweet };
}

async function expectStillWorking(world: World): Promise<void> {
  const author = await newPerson(world.ctx);
  const tweet = await postTweet(world.ctx, author, { text: "unaffected" });
  await world.delivered();
  expect(await readHomeIds(world.ctx, author)).toEqual([tweet]);
}

const linesAbout = (world: World, words: string) =>
  world.logged.filter((line) => line.includes(words));

describe("a job that fails for good", () => {
  it("a job that fails for good is sent once to the webhook, in Slack's format", async () => {
    const { url, heard } = await startWebhook((_req, res) => res.end("ok"));
    const world = await startWorld({ alertWebhookUrl: url });
    const { job } = await failForGood(world);
    await vi.waitUntil(() => heard.length > 0, patience);
    const [type, body] = heard[0]?.split(" application/json ") ?? [];
    expect(type).toBe("POST");
    const { text, ...rest } = JSON.parse(body ?? "") as { text: string };
    expect(text).toContain(`job ${job} of queue deliver failed for good after 2 attempts`);
    expect(text).toContain("WRONGTYPE");
    expect(text).toContain("/admin/queues");
    expect(rest).toEqual({});
    await expectStillWorking(world);
    expect(heard).toHaveLength(1);
  });

  it("an alert is sent once, however many workers notice and however often replays fail", async () => {
    const { url, heard } = await startWebhook((_req, res) => res.end("ok"));
    const world = await startWorld({ alertWebhookUrl: url });
    for (let extra = 0; extra < 2; extra += 1) startMoreWorkers(cleanups, world);
    const { job } = await failForGood(world);
    const letter = { queue: "deliver", job, attempts: 2, reason: "asked again" };
    const chores = new Queue("chores", { connection: world.ctx.redis, prefix: queuePrefix });
    await Promise.all(Array.from({ length: 20 }, () => promiseAlert(world.ctx, chores, letter)));
    await chores.close();
    const queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
    await (await queue.getJob(job))?.retry();
    await world.delivered();
    expect(await queue.getFailedCount()).toBe(1);
    await queue.close();
    const { job: other } = await failForGood(world);
    await vi.waitUntil(() => heard.some((text) => text.includes(`job ${other} `)), patience);
    expect(heard.filter((text) => text.includes(`job ${job} `))).toHaveLength(1);
    expect(heard).toHaveLength(2);
  });

  it("an alert is sent until the webhook confirms it, and not again", async () => {
    let refusals = 2;
    const { url, heard } = await startWebhook((_req, res) => {
      res.writeHead((refusals -= 1) >= 0 ? 500 : 204).end();
    });
    const world = await startWorld({ alertWebhookUrl: url });
    await failForGood(world);
    await vi.waitUntil(() => heard.length === 3, patience);
    await expectStillWorking(world);
    await sleep(1000);
    expect(heard).toHaveLength(3);
    expect(linesAbout(world, "the alert webhook answered 500")).toHaveLength(2);
    expect(linesAbout(world, "failed for good")).toHaveLength(1);
  });

  it("an alert is sent later if the webhook is away", async () => {
    const { url, heard } = await startWebhook((_req, res) => res.end("ok"));
    const { port } = new URL(url);
    await cleanups.pop()?.();
    const world = await startWorld({ alertWebhookUrl: url });
    await failForGood(world);
    await vi.waitUntil(() => linesAbout(world, "fetch failed").length > 0, patience);
    await expectStillWorking(world);
    const late = await startWebhook((_req, res) => res.end("ok"), Number(port));
    await vi.waitUntil(() => late.heard.length > 0, patience);
    expect(heard).toEqual([]);
  });

  it("an alert is sent although the worker that noticed died before it promised it", async () => {
    const { url, heard } = await startWebhook((_req, res) => res.end("ok"));
    const silent = await startWorld({});
    const { job } = await failForGood(silent);
    const config = { ...silent.ctx.config, alertWebhookUrl: url };
    const [own, jobs] = [1, 2].map(() => connectToTestRedis("worker", config)) as [
      RedisClient,
      RedisClient,
    ];
    const workers = startWorkers({ ...silent.ctx, redis: own, config }, jobs);
    cleanups.push(async () => {
      await workers.close();
      own.disconnect();
      jobs.disconnect();
    });
    // The other world's workers know of no webhook: they take the chore and drop it.
    await silent.close();
    await vi.waitUntil(() => heard.length > 0, patience);
    expect(heard[0]).toContain(`job ${job} of queue deliver`);
  });

  it("a webhook that never answers delays nothing else", async () => {
    const { url, heard } = await startWebhook(() => {});
    const world = await startWorld({ alertWebhookUrl: url });
    await failForGood(world);
    await vi.waitUntil(() => heard.length > 0, patience);
    const began = performance.now();
    await expectStillWorking(world);
    // The webhook is given up after five seconds.
    expect(performance.now() - began).toBeLessThan(4500);
  });

  it("without a webhook no alert is sent", async () => {
    const world = await startWorld({});
    await failForGood(world);
    await expectStillWorking(world);
    expect(linesAbout(world, "failed for good")).toHaveLength(1);
    expect(linesAbout(world, "alert")).toEqual([]);
    expect(await findKeys(world.ctx.redis, "*alert*")).toEqual([]);
  });
});

describe("a dead letter", () => {
  it("a dead letter that an admin replays succeeds once its cause is gone", async () => {
    const world = await startWorld({ admins: ["boss"] });
    const author: UserId = await newPerson(world.ctx);
    const boss = await world.newcomer("Boss");
    const letters = [await failForGood(world), await failForGood(world), await failForGood(world)];
    for (const { tweet: id } of letters) {
      await world.ctx.redis.del(keys.tweet(id));
      await createTweet(world.ctx, { id, author, text: "cured", createdAt: Number(id) });
    }
    const page = "/admin/queues/deliver";
    const [{ job } = { job: "" }] = letters;
    await boss.post(page, { job, verb: "retry" }).expect(303);
    await world.delivered();
    expect(await readHomeIds(world.ctx, author)).toEqual([letters[0]?.tweet]);
    await boss.post(page, { verb: "retryAll" }).expect(303);
    await world.delivered();
    const ids = letters.map((letter) => letter.tweet);
    expect(await readHomeIds(world.ctx, author)).toEqual(ids.toReversed());
  });
});
