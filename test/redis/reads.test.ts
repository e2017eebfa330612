import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import type { Memory } from "../../src/redis/memory.ts";
import { readCommands, readCommandOf } from "../../src/redis/memory/question.ts";
import { emptyRedis } from "../support/world/test-redis.ts";
import { connectToTestRedis, openMemory } from "../support/world/world.ts";

type Method = (...args: (string | number)[]) => Promise<unknown>;

/** Of each command that is answered from the memory, ways of asking it. */
const asked: Record<string, (string | number)[][]> = {
  get: [["text"], ["none"]],
  exists: [["text"], ["none"]],
  strlen: [["text"], ["none"]],
  hget: [
    ["hash", "a"],
    ["hash", "none"],
    ["none", "a"],
  ],
  hmget: [
    ["hash", "a", "none"],
    ["none", "a"],
  ],
  hgetall: [["hash"], ["none"]],
  hexists: [
    ["hash", "a"],
    ["none", "a"],
  ],
  hlen: [["hash"], ["none"]],
  zrange: [
    ["scores", 0, -1],
    ["scores", 0, -1, "WITHSCORES"],
    ["scores", "+inf", "(1", "BYSCORE", "REV", "LIMIT", 0, 5, "WITHSCORES"],
    ["scores", "-", "+", "BYLEX"],
    ["none", 0, -1, "WITHSCORES"],
  ],
  zscore: [
    ["scores", "half"],
    ["scores", "stamp"],
    ["scores", "ever"],
    ["scores", "none"],
  ],
  zmscore: [
    ["scores", "half", "stamp", "ever", "none"],
    ["none", "half"],
  ],
  zcard: [["scores"], ["none"]],
  zcount: [["scores", "-inf", "+inf"]],
  zrank: [
    ["scores", "stamp"],
    ["scores", "none"],
  ],
  zrevrank: [
    ["scores", "stamp"],
    ["scores", "none"],
  ],
  scard: [["set"], ["none"]],
  smembers: [["set"], ["none"]],
  sismember: [
    ["set", "a"],
    ["set", "none"],
  ],
  xrange: [
    ["stream", "-", "+"],
    ["stream", "-", "+", "COUNT", 1],
    ["none", "-", "+"],
  ],
  xrevrange: [
    ["stream", "+", "-"],
    ["none", "+", "-"],
  ],
  xlen: [["stream"], ["none"]],
  readHome: [
    ["home", "+inf", 10, 1000, 0, "down"],
    ["home", "+inf", 10, 1000, 0, "up"],
    ["none", "+inf", 10, 1000, 0, "down"],
  ],
};

describe("reads through the memory", () => {
  let redis: RedisClient;
  let memory: Memory;
  beforeAll(async () => {
    const config = parseConfig({});
    redis = connectToTestRedis("web", config);
    await waitUntilReady(redis, 5000);
    await emptyRedis(redis);
    await redis.set("text", "雀");
    await redis.hset("hash", { a: "1", b: "", __proto__x: "2" });
    await redis.zadd("scores", 0.5, "half", 1_750_000_000_123_456, "stamp", "+inf", "ever");
    await redis.zadd("home", 0, "floor", 1_750_000_000_123_456, "1", 1_750_000_000_123_457, "2");
    await redis.sadd("set", "a");
    await redis.xadd("stream", "1-1", "field", "value", "other", "");
    await redis.xadd("stream", "2-1", "field", "value");
    // Reading a home renews its life where it is short.
    await redis.expire("home", 1000);
    memory = await openMemory(redis, config);
    await memory.settled();
  });
  afterAll(() => {
    memory.close();
    redis.disconnect();
  });

  it("every way to read through the memory is tested here", () => {
    expect(Object.keys(asked).toSorted()).toEqual([...readCommands].toSorted());
  });

  it.each(Object.entries(asked))(
    "a read through the memory equals the answer of Redis: %s",
    async (name, ways) => {
      for (const args of ways) {
        const itself = await (Reflect.get(redis, name) as Method).apply(redis, args);
        for (const method of [name, "call"]) {
          const words = method === "call" ? [name, ...args] : args;
          const command = readCommandOf(method, words) ?? ["", ""];
          const before = memory.stats();
          expect(await memory.ask(redis, command)).toStrictEqual(itself);
          expect(await memory.ask(redis, command)).toStrictEqual(itself);
          expect(memory.stats().hits).toBeGreaterThan(before.hits);
        }
      }
    },
  );
});
