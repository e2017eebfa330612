import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limiterOf } from "../../src/domain/limiter.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { testAddress } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the first limit of a process", () => {
  let world: World;
  let client: RedisClient;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    client = connect(testAddress(), "web", world.ctx.config, () => {});
    await waitUntilReady(client, 5000);
  });
  afterAll(async () => {
    client.disconnect();
    await world.close();
  });

  it("a limit that is first used beside other commands counts, and none of these fails", async () => {
    const ctx = { ...world.ctx, redis: client };
    const [beside, state] = await Promise.all([
      client.get("nothing"),
      limiterOf(ctx, "follows:account").take("somebody"),
    ]);
    expect([beside, state.refused]).toEqual([null, false]);
  });
});
