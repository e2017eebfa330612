import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { examine } from "../../src/doctor/examine.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { keys } from "../../src/redis/keys.ts";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";
import { finishJobs } from "../support/world/doctor.ts";

describe("the doctor on a cluster", () => {
  let cluster: TestCluster;
  let booted: Booted;
  beforeAll(async () => {
    cluster = await startCluster();
    const config = parseConfig({ LOG_LEVEL: "silent", REDIS_URL: cluster.urls.join(",") });
    booted = await boot(config, { urls: cluster.urls });
    booted.work();
  });
  afterAll(async () => {
    await booted.close();
    await cluster.stop();
  });

  it("the doctor scans all nodes of a cluster, and repairs what differs between two", async () => {
    const { ctx, queues } = booted;
    const [ann, bob] = await Promise.all(
      ["ann", "bob"].map((name) => createUser(ctx, { name, fullname: name, pass: "x" })),
    );
    if (ann === undefined || bob === undefined) throw new Error("no users");
    await follow(ctx, { follower: ann, followee: bob });
    const tweet = await postTweet(ctx, bob, { text: "On three nodes" });
    await likeTweet(ctx, ann, tweet);
    await finishJobs({ queues });
    const wishes = { minAge: 0, pause: 0, progress: () => {} };
    const look = async (repair: boolean) => await examine(ctx, queues, { ...wishes, repair });

    const well = await look(false);
    expect(well.findings).toEqual([]);
    expect(well.notes.filter((note) => note.includes("append-only file"))).toHaveLength(3);

    await ctx.redis.del(keys.followers(bob));
    await ctx.redis.zrem(keys.userTimeline(bob), tweet);
    await ctx.redis.del(keys.userIds);
    const { counts } = await look(true);
    expect(counts).toEqual({ counter: 1, "follow-mirror": 1, "tweet-unlisted": 1 });
    await finishJobs({ queues });
    expect((await look(false)).findings).toEqual([]);
    expect(await ctx.redis.zscore(keys.followers(bob), ann)).not.toBeNull();
  });
});
