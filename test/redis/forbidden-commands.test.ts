import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { packed } from "../../src/redis/packed.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { primaries } from "../support/world/redis-nodes.ts";
import { emptyRedis } from "../support/world/test-redis.ts";
import { connectToTestRedis } from "../support/world/world.ts";

describe("on a Redis whose ACL forbids a command", () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = connectToTestRedis("web", parseConfig({}));
    await waitUntilReady(redis, 5000);
  });
  beforeEach(async () => {
    await emptyRedis(redis);
  });
  afterAll(() => redis.disconnect());

  const home = async (key: string) => await redis.zrange(key, 0, "-1", "WITHSCORES");

  it.each(["dump", "restore"])(
    "the scripts write to a too long timeline without %s",
    async (command) => {
      const allow = async (sign: "+" | "-") => {
        const nodes = primaries(redis).map((node) =>
          node.acl("SETUSER", "default", `${sign}${command}`),
        );
        await Promise.all(nodes);
      };
      const long = [1, 2, 3, 4, 5, 6].flatMap((stamp) => [stamp, `${stamp}`]);
      await redis.zadd("{h}:one", 0, "floor", ...long);
      await redis.zadd("{h}:two", 0, "floor", ...long);
      await redis.zadd("{h}:followers", 1, "two");
      await allow("-");
      try {
        await redis.deliver("{h}:one", "9", 9, 5, 3, packed(["{h}:one"]));
        await redis.fanOut("{h}:followers", "9", 9, 5, 3, 0, 1, 1, 1, "{h}:", "");
        await redis.fillHome("{h}:one", 5, 3, "some", 0, 10, "10", 11, "11");
      } finally {
        await allow("+");
      }
      expect(await home("{h}:one")).toEqual(["10", "10", "floor", "10", "11", "11"]);
      const cut = ["4", "4", "floor", "4", "5", "5", "6", "6", "9", "9"];
      expect(await home("{h}:two")).toEqual(cut);
    },
  );
});
