import calculateSlot from "cluster-key-slot";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { isOutage } from "../../src/domain/outage.ts";
import { deliverTo } from "../../src/domain/timelines/delivery.ts";
import { ensureHome } from "../../src/domain/timelines/home-store.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { byNode, type Command, exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";
import { emptyRedis } from "../support/world/test-redis.ts";

const config = parseConfig({});

describe.each(["web", "queue", "worker"] as const)("exec on a client for %s", (profile) => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = connectToTestRedis(profile, config);
    await waitUntilReady(redis, 5000);
    await emptyRedis(redis);
  });
  afterAll(() => redis.disconnect());

  it("exec resolves to the replies in order", async () => {
    const commands: Command[] = [
      ["set", "one", 1],
      ["get", "one"],
      ["zadd", "two", 5, "five", 6, "six"],
      ["zscore", "two", "nobody"],
      ["hmget", "three", "a", "b"],
    ];
    expect(await exec(redis, commands)).toEqual(["OK", "1", 2, null, [null, null]]);
  });

  it("exec throws the first failed reply", async () => {
    const commands: Command[] = [
      ["set", "text", "words"],
      ["zadd", "text", 1, "one"],
      ["get", "text"],
    ];
    await expect(exec(redis, commands)).rejects.toThrow("WRONGTYPE");
  });

  it("exec throws when the connection is gone", async () => {
    const gone = connectToTestRedis(profile, config);
    await waitUntilReady(gone, 5000);
    gone.disconnect();
    await expect(exec(gone, [["get", "one"]])).rejects.toSatisfy(isOutage);
  });

  it("exec sends nothing for no commands", async () => {
    expect(await exec(redis, [])).toEqual([]);
  });
});

describe("on a cluster", () => {
  const people = Array.from({ length: 300 }, (_, nth) => userId(nth + 1));
  let cluster: TestCluster;
  let redis: Cluster;
  let world: World;

  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    cluster = await startCluster();
    const client = connect({ urls: cluster.urls }, "web", config, () => {});
    if (!(client instanceof Cluster)) throw new Error("several URLs must make a cluster");
    redis = client;
    await waitUntilReady(redis, 10_000);
  });
  afterAll(async () => {
    redis.disconnect();
    await cluster.stop();
    await world.close();
  });

  it("on a cluster exec asks every node, and keeps the order of the replies", async () => {
    await exec(
      redis,
      people.map((id) => ["set", keys.user(id), id]),
    );
    const answers = await exec(
      redis,
      people.map((id) => ["get", keys.user(id)]),
    );
    expect(answers).toEqual(people);
    const groups = byNode(
      redis,
      people.map((id) => ["get", keys.user(id)]),
    );
    expect(groups).toHaveLength(3);
    expect(groups.flat()).toHaveLength(300);
  });

  it("on a cluster exec follows slots that have just moved", async () => {
    const [first, second] = people.map((id) => calculateSlot(keys.user(id))) as [number, number];
    for (const to of [0, 1, 2, 0, 1, 2]) {
      await cluster.moveSlot(first, to);
      await cluster.moveSlot(second, to);
      // Twice: the first time tells the client what has moved.
      for (let time = 0; time < 2; time += 1) {
        const answers = await exec(
          redis,
          people.map((id) => ["get", keys.user(id)]),
        );
        expect(answers).toEqual(people);
      }
    }
  });

  it("on a cluster exec throws a failed reply of any node", async () => {
    const commands = people.map((id): Command => ["zcard", keys.user(id)]);
    await expect(exec(redis, commands)).rejects.toThrow("WRONGTYPE");
  });

  it("a delivery reaches the timelines of every node, also those just moved", async () => {
    const ctx = { ...world.ctx, redis };
    await Promise.all(people.map((user) => ensureHome(ctx, user, 0)));
    const homes = people.map((id) => calculateSlot(keys.homeTimeline(id)));
    for (const [tweet, to] of [0, 1, 2].entries()) {
      for (const slot of homes.slice(0, 3)) await cluster.moveSlot(slot, to);
      await deliverTo(ctx, { tweet: tweetId(tweet + 1), author: userId(1), stamp: 17 }, people);
      const scores = await exec(
        redis,
        people.map((id) => ["zscore", keys.homeTimeline(id), tweet + 1]),
      );
      expect(scores).toEqual(people.map(() => "17"));
    }
  });
});
