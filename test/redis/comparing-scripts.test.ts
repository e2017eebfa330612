import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { emptyRedis } from "../support/world/test-redis.ts";
import { connectToTestRedis } from "../support/world/world.ts";

describe("scripts that write while something is as expected", () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = connectToTestRedis("web", parseConfig({}));
    await waitUntilReady(redis, 5000);
  });
  beforeEach(async () => {
    await emptyRedis(redis);
  });
  afterAll(() => redis.disconnect());

  describe("update-user", () => {
    it("update-user sets fields while all others are as expected, and missing is empty", async () => {
      await redis.createHash("hash", 0, "pass", "a");
      const expected = ["generation", "", "pass", "a"];
      expect(await redis.updateUser("hash", 2, ...expected, "generation", "g", "pass", "b")).toBe(
        1,
      );
      expect(await redis.updateUser("hash", 2, ...expected, "pass", "c")).toBe(0);
      expect(await redis.updateUser("hash", 2, "pass", "b", "generation", "", "x", "y")).toBe(0);
      expect(await redis.hgetall("hash")).toEqual({ pass: "b", generation: "g" });
    });

    it("update-user makes no hash", async () => {
      expect(await redis.updateUser("hash", 1, "generation", "", "pass", "a")).toBe(0);
      expect(await redis.exists("hash")).toBe(0);
    });
  });

  describe("replace-text", () => {
    it("replace-text replaces the expected text, and may run twice", async () => {
      expect(await redis.replaceText("text", "one", "two", 60)).toBe(0);
      await redis.set("text", "one");
      for (let twice = 0; twice < 2; twice += 1)
        expect(await redis.replaceText("text", "one", "two", 60)).toBe(1);
      expect(await redis.replaceText("text", "one", "three", 60)).toBe(0);
      expect(await redis.get("text")).toBe("two");
      expect([58, 59, 60]).toContain(await redis.ttl("text"));
    });
  });
});
