import { afterAll, beforeAll, expect, it } from "vitest";
import { primaries } from "../support/world/redis-nodes.ts";
import { createWorld, type World } from "../support/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { workers: false });
});
afterAll(() => world.close());

/** Number of changes that each primary has made. */
async function changes(): Promise<number[]> {
  return await Promise.all(
    primaries(world.ctx.redis).map(async (node) => {
      const info = await node.info("persistence");
      return Number(/rdb_changes_since_last_save:(\d+)/.exec(info)?.[1]);
    }),
  );
}

it("set-field makes no hash, and writes only what differs", async () => {
  const { redis } = world.ctx;
  expect(await redis.setField("absent", "likes", 1)).toBe(0);
  expect(await redis.exists("absent")).toBe(0);
  await redis.hset("tweet", { likes: 3, text: "words" });
  const before = await changes();
  expect(await redis.setField("tweet", "likes", 3, "text", "words")).toBe(1);
  expect(await changes()).toEqual(before);
  expect(await redis.setField("tweet", "likes", 3, "text", "others", "replies", 0)).toBe(1);
  expect(await redis.hgetall("tweet")).toEqual({ likes: "3", text: "others", replies: "0" });
});
