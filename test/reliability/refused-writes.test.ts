import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { launchOnSocket, type SocketServer } from "../support/world/redis-server.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

describe("a Redis that refuses to write (R6, R17)", () => {
  let server: SocketServer;
  let site: Booted;
  let redis: RedisClient;
  let reader: Visitor;
  let shift = 0;
  beforeAll(async () => {
    server = await launchOnSocket();
    const settings = { bcryptCost: 4, answerMilliseconds: 20_000 };
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), ...settings };
    site = await boot(config, { urls: [server.path] });
    site.work();
    redis = site.ctx.redis;
    const ctx = { ...site.ctx, now: () => Date.now() + shift };
    const app = createApp(ctx, appOptions);
    const author = new Visitor(app);
    await author.signUp("author");
    reader = new Visitor(app);
    await reader.signUp("reader");
    await reader.follow("author");
    await reader.tweet("likeable");
    await author.tweet("first");
    await author.tweet("doomed");
    await author.post("/tweets/1/like").expect(303);
    while ((await reader.see("/")).length < 3) await new Promise((ok) => setTimeout(ok, 50));
  });
  afterAll(async () => {
    await site.close();
    await server.kill();
  });

  const refuse = async (refuses: boolean) =>
    void (await redis.config("SET", "min-replicas-to-write", refuses ? 1 : 0));

  it("pages are shown while Redis refuses writes, also where reading would renew, repair or create (R6, R17)", async () => {
    const id = (await findUserByName(site.ctx, "reader"))?.id;
    const home = keys.homeTimeline(id ?? ("" as never));
    // Renewals of a home timeline and of a session are due, a repair of a list, and marks as read.
    await redis.expire(home, 100);
    shift = 2 * 60 * 60 * 1000;
    await redis.del(keys.tweet("3" as never));
    await refuse(true);
    const paths = ["/", "/notifications", "/@author", "/@reader", "/explore", "/tweets/1"];
    const statuses = [];
    for (const path of [...paths, "/settings/profile", "/search?q=first", "/"])
      statuses.push([path, (await reader.get(path)).status]);
    const write = (await reader.post("/tweets", { text: "no" })).status;
    await refuse(false);
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    expect(write).toBe(503);
    await redis.del(home);
    await refuse(true);
    const rebuilt = await reader.get("/");
    await refuse(false);
    expect([rebuilt.status, rebuilt.text.includes("first")]).toEqual([200, true]);
    await reader.get("/notifications").expect(200);
  });
});
