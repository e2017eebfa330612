import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { addNotification } from "../../src/domain/notifications/store.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { keys } from "../../src/redis/keys.ts";
import { picture } from "../support/data/pictures.ts";
import { fill, routesOf } from "../support/world/routes.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { findKeys } from "../support/world/redis-nodes.ts";

describe("reading", () => {
  let world: World;
  let reader: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const author = await world.newcomer("author");
    const { id } = await getUserByName(world.ctx, "author");
    for (let nth = 1; nth <= 60; nth += 1)
      await postTweet(world.ctx, id, { text: `${nth} https://example.org/${nth}` });
    reader = await world.newcomer("reader");
    await reader.tweet("mine");
    const portrait = await picture("png");
    await reader.agent.post("/settings/avatar").attach("avatar", portrait, "me.png").expect(303);
    await reader.follow("author");
    await author.follow("reader");
  });
  afterAll(() => world.close());

  it("reading every page and link of the site leaves the data unchanged", async () => {
    const before = await dump(world.ctx.redis);
    expect(before.size).toBeGreaterThan(60);
    // Doors of forms too, of what the reader may change: a link may lead there.
    const places = [...new Set(routesOf(world.app).map(({ path }) => path))];
    const [mine] = await reader.see("/@reader");
    const visited = await crawl(reader, [
      ...places.map((path) => fill(path, { name: "author", id: "1", tag: "birds" })),
      `/tweets/${mine?.id}/delete`,
      "/?text=hello",
      "/login?name=reader&password=x",
      "/search?q=https",
      "/search?q=a&people=1",
    ]);
    expect(visited.size).toBeGreaterThan(70);
    for (const path of ["/@reader", "/settings/sessions", "/@author/followers", "/tweets/60"])
      expect([...visited]).toContain(path);
    expect([...visited].filter((path) => path.includes("?before=")).length).toBeGreaterThan(1);
    expect(await dump(world.ctx.redis)).toEqual(before);
    await reader.get("/settings/profile").expect(200);
  });

  it("reading the notifications page removes notifications of deleted tweets only", async () => {
    const { ctx } = world;
    const { id } = await getUserByName(ctx, "reader");
    const gone = { kind: "like", tweet: tweetId(999_999), actor: userId(1) } as const;
    await addNotification(ctx, id, { ...gone, stamp: ctx.now() * 1000 });
    const before = await dump(ctx.redis);
    for (const path of ["/", "/explore", "/@author", "/tweets/1", "/settings/profile"])
      await reader.get(path).expect(200);
    expect(await dump(ctx.redis)).toEqual(before);
    await reader.get("/notifications").expect(200);
    const key = keys.notifications(id);
    expect(await ctx.redis.zrange(key, 0, "-1")).toEqual(["follow::1"]);
  });
});

/** Follows every link from `starts` on, within the site; returns the paths it saw. */
async function crawl(visitor: Visitor, starts: string[]): Promise<Set<string>> {
  const seen = new Set(starts);
  for (const path of seen) {
    const { text, status } = await visitor.get(path);
    expect([path, status]).toEqual([path, expect.toBeOneOf([200, 303, 400, 401, 403, 404, 422])]);
    await visitor.agent.head(path);
    for (const [, href = ""] of (text ?? "").matchAll(/href="(\/[^"#]*)/g))
      if (!/\.(css|svg)$/.test(href)) seen.add(href.replaceAll("&amp;", "&"));
  }
  return seen;
}

/**
 * Every key and what it holds, but sessions, counted attempts and up to where people have read their
 * notifications (docs/decisions/0011); when keys expire is no part of it.
 */
async function dump(redis: RedisClient): Promise<Map<string, unknown>> {
  const found = await findKeys(redis, "*");
  const names = found.filter(
    (key) => !key.startsWith(keys.sessionPrefix) && !key.startsWith(`${keys.ratePrefix}:`),
  );
  const entries = await Promise.all(
    names.toSorted().map(async (key): Promise<[string, unknown]> => {
      return [key, await contents(redis, key)];
    }),
  );
  return new Map(entries);
}

async function contents(redis: RedisClient, key: string): Promise<unknown> {
  const type = await redis.type(key);
  if (type === "string") return await redis.get(key);
  if (type === "hash") {
    const { notifications_read: _, ...fields } = await redis.hgetall(key);
    return fields;
  }
  if (type === "zset") return await redis.zrange(key, 0, "-1", "WITHSCORES");
  if (type === "list") return await redis.lrange(key, 0, -1);
  if (type === "stream") return await redis.xlen(key);
  throw new Error(`${key} is a ${type}`);
}
