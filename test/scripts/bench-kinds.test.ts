import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesOf, bytesOfKinds, kindLines } from "../../scripts/bench/kinds.ts";
import { userId } from "../../src/domain/ids.ts";
import { keys, keyTable } from "../../src/redis/keys.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { onCluster } from "../support/world/test-redis.ts";

describe.skipIf(onCluster)("the memory bench", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("the memory bench counts every kind of key, and names those that its site does not have", async () => {
    const { redis } = world.ctx;
    await redis.zadd(keys.followers(userId(7)), 1, "8", 2, "9");
    const kinds = await bytesOfKinds(redis);
    expect(Object.keys(kinds)).toEqual(Object.keys(keyTable));
    expect(kinds.followers).toMatchObject({ grows: "follow", keys: 1, members: 2 });
    expect(bytesOf(kinds, "follow")).toBe(kinds.followers.bytes);
    const lines = kindLines(kinds);
    expect(lines).toContainEqual(expect.stringMatching(/^followers \(follow\): \d+ bytes/));
    const absent = Object.entries(kinds).filter(([, { keys: count }]) => count === 0);
    expect(lines.at(-1)).toBe(`none of: ${absent.map(([name]) => name).join(", ")}`);
  });

  it("the memory bench fails at a key that is of no kind", async () => {
    await world.ctx.redis.set("stray", "1");
    await expect(bytesOfKinds(world.ctx.redis)).rejects.toThrow("stray");
    await world.ctx.redis.del("stray");
  });
});
