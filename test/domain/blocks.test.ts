import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blockField, isIpBlocked } from "../../src/domain/blocks.ts";
import { keys } from "../../src/redis/keys.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("an address that may be shut out", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("whether an address is shut out is known at once, and found out anew when the blocks change", async () => {
    const { ctx } = world;
    const asked = () => isIpBlocked(ctx, "192.0.2.7");
    expect(await asked()).toBe(false);
    expect(asked()).toBe(false);
    const field = blockField("address", "192.0.2.0/24");
    await ctx.redis.hset(keys.siteBlocks, field, "1");
    await ctx.memory.settled();
    // An answer comes after 300 ms at most, from what was known then.
    await expect.poll(asked).toBe(true);
    expect([asked(), isIpBlocked(ctx, "192.0.3.7")]).toEqual([true, false]);
    await ctx.redis.hdel(keys.siteBlocks, field);
    await ctx.memory.settled();
    await expect.poll(asked).toBe(false);
    expect(asked()).toBe(false);
  });
});
