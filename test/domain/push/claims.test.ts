import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseUserId, type UserId } from "../../../src/domain/ids.ts";
import { claimPush, releasePush } from "../../../src/domain/push/pushable.ts";
import type { Subscription } from "../../../src/domain/push/subscriptions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("claims of pushes", () => {
  let world: World;
  const user = parseUserId("7") as UserId;
  const [phone, laptop] = ["phone", "laptop"].map(
    (id) => ({ holder: { by: "browser", id, device: "" } }) as Subscription,
  ) as [Subscription, Subscription];
  const day = 24 * 3_600_000;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  it("a push is claimed once a day for each subscription, and again after it was given back", async () => {
    const { ctx } = world;
    const all = await Promise.all(
      [1, 2, 3].map(async () => await claimPush(ctx, user, phone, "like:1:2")),
    );
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await claimPush(ctx, user, laptop, "like:1:2")).toBe(true);
    await releasePush(ctx, user, phone, "like:1:2");
    expect(await claimPush(ctx, user, phone, "like:1:2")).toBe(true);
    world.pass(day);
    expect(await claimPush(ctx, user, phone, "like:1:2")).toBe(true);
  });

  it("a user gets 2,000 pushes a day", async () => {
    const { ctx } = world;
    const key = keys.pushed(user);
    const many = Array.from({ length: 1999 }, (_, nth) => [String(ctx.now()), `x:like:${nth}:3`]);
    await ctx.redis.del(key);
    await ctx.redis.zadd(key, ...many.flat());
    expect(await claimPush(ctx, user, phone, "like:4:2")).toBe(true);
    expect(await claimPush(ctx, user, phone, "like:5:2")).toBe(false);
    expect(await ctx.redis.zcard(key)).toBe(2000);
    expect(await ctx.redis.ttl(key)).toBeGreaterThan(0);
    world.pass(day);
    expect(await claimPush(ctx, user, phone, "like:5:2")).toBe(true);
  });
});
