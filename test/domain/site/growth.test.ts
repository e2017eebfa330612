import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dayOf } from "../../../src/domain/ids.ts";
import { daysUntil, measuredDays, measureSite } from "../../../src/domain/site/growth.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { primaries } from "../../support/world/redis-nodes.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;
const nothing = () => {};
const line = (count: number, first: number, each: number) =>
  Array.from({ length: count }, (_, nth) => first + nth * each);

describe("the daily measuring", () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({ dataDir: tmpdir() }, { workers: false });
  });
  afterEach(() => world.close());

  it("a day is measured once, when it is over, with what was counted on it", async () => {
    const { ctx } = world;
    const [ann] = await newPeople(ctx, 1);
    if (ann !== undefined) await postAndDeliver(ctx, ann, "one");
    world.pass(day);
    await measureSite(ctx, nothing);
    await measureSite(ctx, nothing);
    const [measured, ...more] = await measuredDays(ctx);
    expect(more).toEqual([]);
    expect(measured?.day).toBe(dayOf((ctx.now() - day) * 1000));
    expect(measured?.tweets).toBe(1);
    expect(measured?.memory).toBeGreaterThan(100_000);
    expect(measured?.disk).toBeGreaterThan(0);
  });

  it("only the last 90 days are kept", async () => {
    const { ctx } = world;
    const names = Array.from({ length: 95 }, (_, nth) =>
      dayOf((ctx.now() - (nth + 2) * day) * 1000),
    );
    await ctx.redis.hset(keys.siteDays, ...names.flatMap((name) => [name, "{}"]));
    await measureSite(ctx, nothing);
    expect(await ctx.redis.hlen(keys.siteDays)).toBe(90);
    const kept = (await measuredDays(ctx)).map((one) => one.day);
    expect(kept).toEqual([dayOf((ctx.now() - day) * 1000), ...names.slice(0, 89)].toReversed());
  });

  it("the accounts with the most tweets and followers are named, the largest first", async () => {
    const { ctx } = world;
    const [star, writer, ...fans] = await newPeople(ctx, 14);
    if (star === undefined || writer === undefined) throw new Error("no people");
    for (const fan of fans) await follow(ctx, { follower: fan, followee: star });
    for (const text of ["one", "two", "three"]) await postAndDeliver(ctx, writer, text);
    await measureSite(ctx, nothing);
    const [measured] = await measuredDays(ctx);
    expect(measured?.largest).toEqual([
      { id: star, tweets: 0, followers: 12 },
      { id: writer, tweets: 3, followers: 0 },
    ]);
  });

  it("memory is told by kind, near to what the keys take, and pictures by the bytes of their files", async () => {
    const { ctx } = world;
    const [ann] = await newPeople(ctx, 40);
    if (ann === undefined) throw new Error("no people");
    for (let nth = 0; nth < 60; nth += 1)
      await postAndDeliver(ctx, ann, `tweet ${nth} ${"x".repeat(200)}`);
    await ctx.storage?.put(
      "1-0123456789abcdef01234567-0123456789abcdef.webp",
      Buffer.alloc(5000),
      "",
    );
    await measureSite(ctx, nothing);
    const [measured] = await measuredDays(ctx);
    expect(measured?.pictures).toBe(5000);
    let tweets = 0;
    for (const node of primaries(ctx.redis))
      for (const key of await node.keys("tweet:*"))
        tweets += (await node.memory("USAGE", key)) ?? 0;
    expect(measured?.kinds.tweets).toBeGreaterThan(0.6 * tweets);
    expect(measured?.kinds.tweets).toBeLessThan(1.5 * tweets);
    expect(measured?.kinds.accounts).toBeGreaterThan(0);
    expect(measured?.kinds.homes).toBeGreaterThan(0);
  });

  it("where the host forbids to ask for the memory of a key, the rest is measured", async () => {
    const nodes = primaries(world.ctx.redis);
    const allow = (sign: "+" | "-") =>
      Promise.all(nodes.map((node) => node.acl("SETUSER", "default", `${sign}memory`)));
    await newPeople(world.ctx, 1);
    await allow("-");
    try {
      await measureSite(world.ctx, nothing);
    } finally {
      await allow("+");
    }
    expect((await measuredDays(world.ctx))[0]).toMatchObject({ kinds: {}, people: 0 });
  });

  it("measuring walks over no keys", async () => {
    const nodes = primaries(world.ctx.redis);
    await newPeople(world.ctx, 20);
    await Promise.all(nodes.map((node) => node.config("RESETSTAT")));
    await measureSite(world.ctx, nothing);
    const infos = await Promise.all(nodes.map((node) => node.info("commandstats")));
    expect(infos.join("\n")).toMatch(/cmdstat_randomkey/);
    expect(infos.join("\n")).not.toMatch(/cmdstat_(keys|scan)\b/);
  });
});

describe("the day on which it is full", () => {
  it("a figure that grows evenly reaches its limit after what is left divided by its pace", () => {
    expect(daysUntil(1000, line(10, 0, 10))).toBeCloseTo(91);
    expect(daysUntil(500, line(10, 0, 100))).toBe(0);
  });

  it("only the last 30 days tell the pace", () => {
    expect(daysUntil(1300, [...line(60, 0, 0), ...line(30, 10, 10)])).toBeCloseTo(100);
  });

  it("without growth, or after less than a week, no day is told", () => {
    expect(daysUntil(1000, line(30, 500, 0))).toBeUndefined();
    expect(daysUntil(1000, line(30, 500, -1))).toBeUndefined();
    expect(daysUntil(1000, line(6, 0, 10))).toBeUndefined();
    expect(daysUntil(1000, [])).toBeUndefined();
  });
});
