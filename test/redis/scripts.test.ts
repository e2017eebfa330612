import { readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { packed } from "../../src/redis/packed.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { connectToTestRedis } from "../support/world/world.ts";
import { emptyRedis } from "../support/world/test-redis.ts";

describe("the scripts", () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = connectToTestRedis("web", parseConfig({}));
    await waitUntilReady(redis, 5000);
  });
  beforeEach(async () => {
    await emptyRedis(redis);
  });
  afterAll(() => redis.disconnect());

  const home = async (key = "home") => await redis.zrange(key, 0, "-1", "WITHSCORES");
  const makeHome = async (floor: number | "inf", key = "home") =>
    await redis.zadd(key, floor, "floor");

  it("every script is a command of a client", () => {
    const files = readdirSync(new URL("../../src/redis/scripts", import.meta.url));
    const commands = files.map((file) =>
      file.replace(".lua", "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) expect(redis).toHaveProperty(command, expect.any(Function));
  });

  it("scripts work again after Redis has forgotten them", async () => {
    await redis.createHash("hash", 0, "a", 1);
    await redis.script("FLUSH");
    expect(await redis.createHash("hash", 0, "a", 2)).toBe(0);
  });

  describe("add-bounded", () => {
    it("add-until adds while there is room, after it removed the expired", async () => {
      expect(await redis.addBounded("set", 10, "a", 20, 2)).toBe(1);
      expect(await redis.addBounded("set", 10, "b", "+inf", 2)).toBe(1);
      expect(await redis.addBounded("set", 19, "c", 30, 2)).toBe(0);
      expect(await redis.addBounded("set", 20, "c", 30, 2)).toBe(1);
      expect(await home("set")).toEqual(["c", "30", "b", "inf"]);
    });

    it("add-until renews the time of a present member, even in a full set", async () => {
      await redis.addBounded("set", 10, "a", 20, 1);
      for (let twice = 0; twice < 2; twice += 1)
        expect(await redis.addBounded("set", 10, "a", 40, 1)).toBe(1);
      expect(await home("set")).toEqual(["a", "40"]);
    });
  });

  describe("create-hash", () => {
    it("create-hash writes a whole hash, once", async () => {
      expect(await redis.createHash("hash", 0, "a", 1, "b", "two")).toBe(1);
      expect(await redis.createHash("hash", 0, "a", 3, "c", "new")).toBe(0);
      expect(await redis.hgetall("hash")).toEqual({ a: "1", b: "two" });
    });

    it("draft-hash writes a whole hash with a TTL, once", async () => {
      expect(await redis.createHash("hash", 60, "a", 1, "b", "two")).toBe(1);
      expect(await redis.createHash("hash", 90, "a", 3, "c", "new")).toBe(0);
      expect(await redis.hgetall("hash")).toEqual({ a: "1", b: "two" });
      expect(await redis.ttl("hash")).toBeLessThanOrEqual(60);
      await redis.persist("hash");
      expect(await redis.createHash("hash", 60, "a", 4)).toBe(0);
      expect(await redis.ttl("hash")).toBe(-1);
    });
  });

  describe("commit-tweet", () => {
    it("commit-tweet gives a draft its author and removes its TTL, and may be repeated", async () => {
      await redis.createHash("hash", 60, "text", "hi", "drafted_by", 7, "generation", "g");
      expect([await redis.commitTweet("hash"), await redis.commitTweet("hash")]).toEqual([1, 2]);
      expect(await redis.hgetall("hash")).toEqual({ text: "hi", user_id: "7" });
      expect(await redis.ttl("hash")).toBe(-1);
    });

    it("commit-tweet does nothing for an expired draft", async () => {
      expect(await redis.commitTweet("hash")).toBe(0);
      expect(await redis.exists("hash")).toBe(0);
    });
  });

  describe("take-ids", () => {
    it("take-ids counts on from the counter", async () => {
      expect(await redis.takeIds("counter", 0, 1, 100)).toBe(1);
      expect(await redis.takeIds("counter", 1, 3, 100)).toBe(4);
      expect(await redis.takeIds("counter", 2, 0, 100)).toBe(4);
    });

    it("take-ids skips known ids and a few more where the counter went back", async () => {
      await redis.set("counter", 10);
      expect(await redis.takeIds("counter", 999_999_999_999_999, 1, 0)).toBe(10 ** 15);
      await redis.set("counter", 10);
      expect(await redis.takeIds("counter", 20, 1, 100)).toBe(121);
    });
  });

  describe("claim-commit and release-claim", () => {
    it("claim-commit and release-claim act on one's own claim, and may be repeated", async () => {
      await redis.set("name", "claimed:7", "EX", 60);
      for (let times = 0; times < 2; times += 1)
        expect(await redis.claimCommit("name", "claimed:7", "7")).toBe(1);
      expect([await redis.get("name"), await redis.ttl("name")]).toEqual(["7", -1]);
      expect(await redis.releaseClaim("name", "claimed:7")).toBe(0);
      expect(await redis.get("name")).toBe("7");
    });

    it("claim-commit and release-claim leave an expired claim and another's claim alone", async () => {
      expect(await redis.claimCommit("name", "claimed:7", "7")).toBe(0);
      await redis.set("name", "claimed:8", "EX", 60);
      expect(await redis.claimCommit("name", "claimed:7", "7")).toBe(0);
      expect(await redis.releaseClaim("name", "claimed:7")).toBe(0);
      expect(await redis.ttl("name")).toBeGreaterThan(0);
      expect(await redis.releaseClaim("name", "claimed:8")).toBe(1);
      expect(await redis.exists("name")).toBe(0);
    });
  });

  describe("deliver", () => {
    it("deliver writes to existing timelines, and counts them", async () => {
      // On a cluster a call is for timelines of one slot.
      await makeHome(0, "{h}:one");
      await makeHome("inf", "{h}:two");
      const homes = packed(["{h}:one", "{h}:away", "{h}:two"]);
      for (let times = 0; times < 2; times += 1)
        expect(await redis.deliver("{h}:one", "5", 500, 10, 9, homes)).toBe(2);
      expect(await home("{h}:one")).toEqual(["floor", "0", "5", "500"]);
      expect(await home("{h}:two")).toEqual(["5", "500", "floor", "inf"]);
      expect(await redis.exists("{h}:away")).toBe(0);
    });

    it("deliver cuts a timeline beyond the cap and raises its floor", async () => {
      await makeHome(0);
      for (const stamp of [1, 2, 3, 4, 5])
        await redis.deliver("home", `${stamp}`, stamp, 5, 3, packed(["home"]));
      expect(await home()).toEqual(["2", "2", "floor", "2", "3", "3", "4", "4", "5", "5"]);
    });

    it("deliver changes nothing when it runs again, even on a full timeline", async () => {
      await makeHome(0);
      for (const stamp of [1, 2, 3, 4])
        await redis.deliver("home", `${stamp}`, stamp, 5, 3, packed(["home"]));
      const full = await home();
      expect(await redis.deliver("home", "4", 4, 5, 3, packed(["home"]))).toBe(1);
      expect(await home()).toEqual(full);
    });

    it("deliver keeps an unfilled timeline marked as unfilled, even when it cuts it", async () => {
      await makeHome("inf");
      for (const stamp of [1, 2, 3, 4, 5])
        await redis.deliver("home", `${stamp}`, stamp, 5, 3, packed(["home"]));
      expect(await home()).toEqual(["3", "3", "4", "4", "5", "5", "floor", "inf"]);
    });

    it("deliver takes real stamps without losing a microsecond", async () => {
      await makeHome(0);
      const stamp = 1_795_194_950_193_007;
      for (let nth = 0; nth < 6; nth += 1)
        await redis.deliver("home", `${nth}`, stamp + nth, 5, 3, packed(["home"]));
      const scores = (await home()).filter((_, index) => index % 2 === 1).map(Number);
      expect(scores.every((score) => score >= stamp && score < stamp + 6)).toBe(true);
      expect(new Set(scores).size).toBe(4);
    });
  });

  describe("fill-home", () => {
    it("fill-home reports a timeline that it could not fill, and leaves it alone", async () => {
      expect(await redis.fillHome("home", 10, 9, "all", 0, 5, "5")).toBe("absent");
      await makeHome("inf");
      expect(await redis.fillHome("home", 10, 9, "some", 0, 5, "5")).toBe("unfilled");
      expect(await home()).toEqual(["floor", "inf"]);
    });

    it("fill-home drops entries below the floor, and never lowers a floor", async () => {
      await makeHome("inf");
      expect(await redis.fillHome("home", 10, 9, "all", 6, 5, "5", 6, "6")).toBe("filled");
      expect(await redis.fillHome("home", 10, 9, "some", 0, 4, "4", 7, "7")).toBe("filled");
      expect(await home()).toEqual(["6", "6", "floor", "6", "7", "7"]);
    });

    it("fill-home takes more tweets at once than Lua can unpack", async () => {
      await makeHome("inf");
      const many = Array.from({ length: 20_000 }, (_, nth) => [nth + 1, String(nth + 1)]).flat();
      await redis.fillHome("home", 100_000, 95_000, "all", 0, ...many);
      expect(await redis.zcard("home")).toBe(20_001);
    });

    it("fill-home twice changes nothing, at the cap too", async () => {
      await makeHome(0);
      const many = Array.from({ length: 30 }, (_, nth) => [nth + 1, String(nth + 1)]).flat();
      await redis.fillHome("home", 10, 9, "some", 0, ...many);
      const once = await home();
      await redis.fillHome("home", 10, 9, "some", 0, ...many);
      expect(await home()).toEqual(once);
      expect(once).toHaveLength(2 * 9);
      expect(await redis.zscore("home", "floor")).toBe("23");
    });
  });
});
