import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import { bookmarkTweet } from "../../src/domain/actions/bookmark.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { createQueues, type Queues } from "../../src/jobs/queue.ts";
import { startWorkers } from "../../src/jobs/workers.ts";
import { connect, type ClientProfile, waitUntilReady } from "../../src/redis/client.ts";
import { keys } from "../../src/redis/keys.ts";
import { type PrivateServer, startPrivateServer } from "../../src/redis/private-server.ts";
import { createApp } from "../../src/web/app.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { openMemory, appOptions } from "../support/world/world.ts";
import { countOf } from "../support/world/test-redis.ts";

describe("a full memory (R5)", () => {
  const config = { ...parseConfig({}), bcryptCost: 4 };
  const clients: RedisClient[] = [];
  let dataDir: string;
  let server: PrivateServer;
  let ctx: Ctx;
  let queues: Queues;
  let workers: { close(): Promise<void> };
  let app: Express;
  let person: Visitor;
  let other: Visitor;
  let tweets: Record<string, TweetId>;

  const open = async (profile: ClientProfile) => {
    const client = connect({ socket: server.socket }, profile, config, () => {});
    clients.push(client);
    await waitUntilReady(client, 5000);
    return client;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    server = await startPrivateServer({ dataDir });
    const redis = await open("web");
    queues = createQueues(redis, () => {});
    const log = pino({ level: "silent" });
    const memory = await openMemory(redis, config);
    ctx = { redis, memory, storage: undefined, jobs: queues, log, now: Date.now, config };
    app = createApp(ctx, appOptions);
    workers = startWorkers({ ...ctx, redis: await open("worker") }, await open("worker"));
    person = await newcomer("crowded");
    other = await newcomer("other");
    await person.follow("other");
    for (const text of ["liked", "retweeted", "bookmarked"]) await other.tweet(text);
    for (const text of ["mine", "stays"]) await person.tweet(text);
    const seen = [...(await person.see("/@other")), ...(await person.see("/@crowded"))];
    tweets = Object.fromEntries(seen.map(({ id, text }) => [text, id as TweetId]));
    await person.post(`/tweets/${tweets["liked"]}/like`).expect(303);
    await person.post(`/tweets/${tweets["retweeted"]}/retweet`).expect(303);
    const { id } = await getUserByName(ctx, "crowded");
    await bookmarkTweet(ctx, id, tweets["bookmarked"] as TweetId);
  });
  afterAll(async () => {
    await workers.close();
    await queues.close();
    for (const client of clients) client.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function newcomer(name: string): Promise<Visitor> {
    const visitor = new Visitor(app);
    await visitor.signUp(name);
    return visitor;
  }

  async function whileFull(work: () => Promise<void>): Promise<void> {
    await ctx.redis.config("SET", "maxmemory", "1");
    try {
      await work();
    } finally {
      await ctx.redis.config("SET", "maxmemory", "0");
    }
  }

  /** Number of jobs that are neither done nor failed. */
  const promised = async () => {
    const counts = await queues.counts();
    const alive = counts.filter(({ state }) => state !== "failed");
    return alive.reduce((sum, { count }) => sum + count, 0);
  };

  async function settled(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      // What can wait is done now.
      await Promise.all(queues.all().map((queue) => queue.promoteJobs()));
      if ((await promised()) === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("jobs are left");
  }

  it("in a full memory pages are shown and writes refused, but undoing and blocking work", async () => {
    await settled();
    const leaver = new Visitor(app);
    await leaver.logIn("crowded");
    const phone = await ApiClient.of({ ctx, app }, "crowded");
    const [kept] = (await phone.get("/api/v1/bookmarks").expect(200)).body as { id: string }[];
    const { redis } = ctx;
    const [me, them] = await Promise.all(
      ["crowded", "other"].map(async (name) => (await getUserByName(ctx, name)).id),
    );
    if (me === undefined || them === undefined) throw new Error("nobody");
    await whileFull(async () => {
      for (const path of [
        "/",
        "/explore",
        "/@other",
        `/tweets/${tweets["liked"]}`,
        "/settings/profile",
      ])
        expect([path, (await person.get(path)).status]).toEqual([path, 200]);
      for (const [path, fields] of [
        ["/tweets", { text: "no room" }],
        [`/tweets/${tweets["retweeted"]}/like`, {}],
      ] as const) {
        const answer = await person.post(path, fields);
        expect([path, answer.status]).toEqual([path, 503]);
        expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      }
      const taken = await phone.post(`/api/v1/statuses/${kept?.id}/unbookmark`);
      expect([taken.status, (taken.body as { bookmarked?: boolean }).bookmarked]).toEqual([
        200,
        false,
      ]);
      for (const path of [
        `/tweets/${tweets["liked"]}/unlike`,
        `/tweets/${tweets["retweeted"]}/unretweet`,
        `/tweets/${tweets["mine"]}/delete`,
        "/@other/unfollow",
        "/@other/mute",
        "/@other/unmute",
        "/@other/block",
      ])
        expect([path, (await person.post(path)).status]).toEqual([path, 303]);
      await leaver.post("/logout").expect(303);
      await leaver.get("/settings/profile").expect(303);
      await person.get(`/tweets/${tweets["mine"]}`).expect(404);
      expect((await person.see("/")).map(({ text }) => text)).toEqual(["stays"]);
    });

    const empty = async (key: string, member: string) =>
      expect([key, await redis.zscore(key, member)]).toEqual([key, null]);
    const expectTruth = async () => {
      await empty(keys.likes(me), tweets["liked"] ?? "");
      await empty(keys.tweetLikes(tweets["liked"] as TweetId), me);
      await empty(keys.tweetRetweets(tweets["retweeted"] as TweetId), me);
      expect(await redis.hget(keys.retweets(me), tweets["retweeted"] ?? "")).toBeNull();
      await empty(keys.bookmarks(me), tweets["bookmarked"] ?? "");
      await empty(keys.followings(me), them);
      await empty(keys.followers(them), me);
      await empty(keys.userTimeline(me), tweets["mine"] ?? "");
      const counts = await redis.hmget(keys.tweet(tweets["liked"] as TweetId), "likes", "retweets");
      expect(counts.map(Number)).toEqual([0, 0]);
      const block = await redis.zscore(keys.blocks(me), them);
      expect(block).not.toBeNull();
      expect(await redis.zscore(keys.blockedBy(them), me)).toBe(block);
    };
    await expectTruth();
    // The promises that found no room are made late, and kept: nothing comes back, nothing fails.
    await expect.poll(promised, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0);
    await settled();
    await expectTruth();
    await person.get("/search?q=mine").expect(200);
    expect(
      (await queues.counts()).filter(({ state, count }) => state === "failed" && count > 0),
    ).toEqual([]);
  });

  it("in a full memory an account can be deleted, and is erased once there is room", async () => {
    const leaver = await newcomer("last_straw");
    const user = await getUserByName(ctx, "last_straw");
    await leaver.tweet("goodbye");
    await settled();
    await whileFull(async () => {
      await leaver
        .post("/settings/account/delete", { name: "last_straw", password: "wrong" })
        .expect(422);
      await leaver.post("/settings/account/delete", { name: "last_straw", password }).expect(303);
      await person.get("/@last_straw").expect(404);
      await leaver.get("/settings/profile").expect(303);
    });
    await expect.poll(promised, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0);
    await settled();
    expect(await countOf(ctx.redis, keys.user(user.id), keys.userTimeline(user.id))).toBe(0);
  });
});
