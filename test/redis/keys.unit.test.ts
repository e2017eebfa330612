import calculateSlot from "cluster-key-slot";
import { describe, expect, it } from "vitest";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";

const sample = (id: number) => [
  keys.user(userId(id)),
  keys.username(`name${id}`),
  keys.avatar(userId(id)),
  keys.sessions(userId(id)),
  keys.tokens(userId(id)),
  keys.codes(userId(id)),
  keys.followers(userId(id)),
  keys.followings(userId(id)),
  keys.tweet(tweetId(id)),
  keys.nonce(userId(id), "digest"),
  keys.userTimeline(userId(id)),
  keys.homeTimeline(userId(id)),
];
describe("keys", () => {
  const single = Object.values(keys).filter((key) => typeof key === "string");

  it("no two keys have the same name", () => {
    const names = [...single, ...sample(1), ...sample(2), ...sample(11)];
    expect(new Set(names).size).toBe(names.length);
    const prefixes = [keys.sessionPrefix, keys.ratePrefix, keys.queuePrefix];
    for (const prefix of prefixes)
      expect(names.filter((name) => name.startsWith(prefix))).toEqual([prefix]);
  });

  it("keys have the names that users and scripts rely on", () => {
    expect(keys.user(userId(7))).toBe("user:7");
    expect(keys.username("bird")).toBe("username:bird");
    expect(keys.followers(userId(7))).toBe("user:7:followers");
    expect(keys.followings(userId(7))).toBe("user:7:followings");
    expect(keys.tweet(tweetId(9))).toBe("tweet:9");
    expect(keys.userTimeline(userId(7))).toBe("user:7:user_timeline");
    expect(keys.homeTimeline(userId(7))).toBe("user:7:home_timeline");
    expect(keys.sessions(userId(7))).toBe("user:7:sessions");
    expect([keys.userIds, keys.tweetIds, keys.sessionPrefix]).toEqual([
      "user:ids",
      "tweet:ids",
      "sess:",
    ]);
  });

  it("keys are spread over the slots of a cluster, except those of the queues", () => {
    const slots = Array.from({ length: 50 }, (_, id) => calculateSlot(keys.user(userId(id + 1))));
    expect(new Set(slots).size).toBeGreaterThan(40);
    const queue = ["deliver:wait", "settle:delayed", "x"].map((name) =>
      calculateSlot(`${keys.queuePrefix}:${name}`),
    );
    expect(new Set(queue).size).toBe(1);
  });
});
