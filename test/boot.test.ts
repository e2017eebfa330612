import { mkdtemp, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Booted, boot } from "../src/boot.ts";
import { type Config, parseConfig } from "../src/config.ts";
import { type Address, connect } from "../src/redis/client.ts";
import { postTweet } from "../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../src/domain/actions/save-draft.ts";
import { contextWithDeadlines } from "../src/domain/deadline.ts";
import { isOutage } from "../src/domain/outage.ts";
import { follow } from "../src/domain/actions/follow.ts";
import { serve } from "../src/serve.ts";
import { startPrivateServer } from "../src/redis/private-server.ts";
import type { UserId } from "../src/domain/ids.ts";
import { keys } from "../src/redis/keys.ts";
import { newPeople, newPerson, storedHome } from "./support/actors/people.ts";
import { emptyRedis, testAddress } from "./support/world/test-redis.ts";

const quiet: Config = { ...parseConfig({}), logLevel: "silent" };
const hourAgo = () => Date.now() - 3_600_000;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function booted(address: Address): Promise<Booted> {
  const site = await boot(quiet, address);
  cleanups.push(() => site.close());
  return site;
}

describe("boot", () => {
  it("boot returns a working context, whose workers run its jobs", async () => {
    const { ctx, work } = await booted(testAddress());
    await emptyRedis(ctx.redis);
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    const tweet = await postTweet(ctx, author, { text: "first" });
    expect(await storedHome(ctx, reader)).not.toContain(tweet);
    work();
    while (!(await storedHome(ctx, reader)).includes(tweet))
      await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it("a process on a slower clock puts its first tweets above those that exist, also from its workers", async () => {
    const { ctx } = await booted(testAddress());
    await emptyRedis(ctx.redis);
    const author = await newPerson(ctx);
    await saveDraft({ ...ctx, now: hourAgo }, author, { text: "later", at: Date.now() - 1000 });
    await ctx.redis.zadd(keys.globalTimeline, (Date.now() + 600_000) * 1000, "700");
    const newest = async () => await ctx.redis.zrevrange(keys.globalTimeline, 0, 0);

    const web = await booted(testAddress());
    const isRaised = async () => Number(await ctx.redis.get(keys.tweetIds)) >= 700;
    await vi.waitUntil(isRaised, 15_000);
    const tweet = await postTweet(contextWithDeadlines(web.ctx), author, { text: "now" });
    expect(await newest()).toEqual([tweet]);
    await ctx.redis.zadd(keys.globalTimeline, (Date.now() + 900_000) * 1000, "9000");

    (await booted(testAddress())).work();
    await ctx.jobs.chore("send-drafts", {});
    const isSent = async () => (await ctx.redis.zcard(keys.globalTimeline)) === 4;
    await vi.waitUntil(isSent, { timeout: 15_000 });
    expect(Number((await newest())[0])).toBeGreaterThan(9000);
  }, 20_000);

  it("boot refuses a Redis that would drop data, and says what to do", async () => {
    const server = await startPrivateServer({ dataDir: await folder() });
    cleanups.push(() => server.stop());
    const redis = connect({ socket: server.socket }, "worker", quiet, () => {});
    await redis.config("SET", "maxmemory-policy", "volatile-lru");
    redis.disconnect();
    const attempt = boot(quiet, { socket: server.socket });
    await expect(attempt).rejects.toThrow("maxmemory-policy noeviction");
    // It has let go of Redis, so the last one out turns off the light.
    await server.stop();
    await expect(stat(server.socket)).rejects.toThrow("ENOENT");
  });

  it("boot disconnects from Redis when the port is taken", async () => {
    const server = await startPrivateServer({ dataDir: await folder() });
    cleanups.push(() => server.stop());
    const taken = createServer().listen(0, "127.0.0.1");
    cleanups.push(async () => taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const config = { ...quiet, port, sessionSecret: "x".repeat(32) };
    const site = await boot(config, { socket: server.socket });
    await expect(serve(site)).rejects.toThrow(`Port ${port} is taken`);
    await server.stop();
    await expect(stat(server.socket)).rejects.toThrow("ENOENT");
  });

  it("boot succeeds while Redis does not answer", async () => {
    const { ctx } = await booted({ socket: "/nowhere/redis.sock" });
    await expect(ctx.redis.get("anything")).rejects.toSatisfy(isOutage);
  });
});
