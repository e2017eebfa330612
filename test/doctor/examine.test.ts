import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TweetId, userId } from "../../src/domain/ids.ts";
import { indexTweet } from "../../src/domain/search/index-tweet.ts";
import { addToTimelines } from "../../src/domain/timelines/store.ts";
import { createTweet, findTweet, takeFreeIds } from "../../src/domain/tweets/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { runDoctor, finishJobs } from "../support/world/doctor.ts";
import { createSampleSite, type SampleSite } from "./sample-site.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the doctor", () => {
  let world: World;
  let site: SampleSite;
  beforeAll(async () => {
    world = await createWorld({ admins: ["viewer"] });
    site = await createSampleSite(world);
  });
  afterAll(async () => world.close());

  const redis = () => world.ctx.redis;

  it("the doctor finds nothing in a healthy site", async () => {
    expect(await runDoctor(world)).toMatchObject({ findings: [], counts: {}, left: 0 });
  });

  it("the doctor finds an interrupted account deletion and continues it", async () => {
    await world.newcomer("leaver");
    await finishJobs(world);
    const leaver = userId((await redis().get(keys.username("leaver"))) ?? "");
    await redis().hset(keys.user(leaver), "deleted_at", 1);
    expect((await runDoctor(world)).counts).toEqual({ "user-not-erased": 1 });
    await runDoctor(world, { repair: true });
    await finishJobs(world);
    expect(await redis().exists(keys.user(leaver))).toBe(0);
    expect((await runDoctor(world)).findings).toEqual([]);
  });

  it("the doctor finds a dead letter and runs it again", async () => {
    await world.queues.all()[2]?.add("settle-nothing", {}, { attempts: 1 });
    await finishJobs(world);
    expect((await runDoctor(world)).findings).toEqual([
      expect.objectContaining({
        kind: "job-failed",
        detail: "settle-nothing failed for good: unknown chore settle-nothing",
        repair: "run it again",
      }),
    ]);
    for (const queue of world.queues.all()) await queue.clean(0, 100, "failed");
  });

  it("the doctor finds versions of an edited tweet that are lost, or have outlived it", async () => {
    const { liked, never } = site;
    await redis().hset(keys.tweet(liked), { edited_at: 1, edits: 1 });
    const tombstone = {
      user_id: site.viewer,
      created_at: 1,
      deleted_at: 1,
      "was:0": "{}",
      edits: 1,
    };
    await redis().hset(keys.tweet(never), tombstone);
    await redis().expire(keys.tweet(never), 1000);
    const { findings } = await runDoctor(world, { repair: true });
    const found = findings.map(({ kind, key, repaired }) => `${kind} ${key} ${repaired}`);
    expect(found.toSorted()).toEqual(
      [
        `tweet-history ${keys.tweet(liked)} false`,
        `tweet-history ${keys.tweet(never)} true`,
      ].toSorted(),
    );
    await redis().hdel(keys.tweet(liked), "edited_at", "edits");
    expect((await runDoctor(world)).findings).toEqual([]);
    await redis().del(keys.tweet(never));
  });

  it("the doctor leaves a lost account for the host to decide", async () => {
    const { writer } = site;
    const account = await redis().hgetall(keys.user(writer));
    await redis().del(keys.user(writer));
    const { findings } = await runDoctor(world, { repair: true });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: "user-lost", repair: "needs a decision", repaired: false }),
    );
    expect(await redis().exists(keys.userTimeline(writer))).toBe(1);
    await redis().hset(keys.user(writer), account);
    await runDoctor(world, { repair: true });
    expect((await runDoctor(world)).findings).toEqual([]);
  });

  it.each(["listed by its author", "listed by all others only"])(
    "the doctor deletes a tweet that came after the end of its author's account: %s",
    async (how) => {
      const { ctx } = world;
      const author = userId(777_777);
      const [id] = (await takeFreeIds(ctx, 1)) as [TweetId];
      const tweet = { id, author, text: "late #afterwards", createdAt: ctx.now() * 1000 };
      await createTweet(ctx, tweet);
      await addToTimelines(ctx, { tweet: id, author, stamp: tweet.createdAt });
      await indexTweet(ctx, tweet);
      if (how !== "listed by its author") await redis().del(keys.userTimeline(author));
      await runDoctor(world, { repair: true });
      await finishJobs(world);
      expect(await findTweet(ctx, id)).toBeUndefined();
      expect(await redis().zscore(keys.globalTimeline, id)).toBeNull();
      expect(await redis().zscore(keys.tag("afterwards"), id)).toBeNull();
      expect((await runDoctor(world)).findings).toEqual([]);
    },
  );

  it("the doctor reports unknown keys and leaves them alone", async () => {
    await redis().set("foreign:key", "1");
    const { findings } = await runDoctor(world, { repair: true });
    expect(findings).toEqual([
      {
        kind: "unknown-key",
        key: "foreign:key",
        detail: "no key of Suzume is named so",
        repair: "needs a decision",
        repaired: false,
      },
    ]);
    expect(await redis().get("foreign:key")).toBe("1");
    await redis().del("foreign:key");
  });

  it("the doctor continues after a list of the wrong type, and reports what it could not read", async () => {
    const { viewer, liked } = site;
    const likes = await redis().dumpBuffer(keys.likes(viewer));
    await redis().set(keys.likes(viewer), "no list");
    const { counts, findings } = await runDoctor(world, { repair: true });
    expect(counts).toEqual({ "wrong-type": 1, unreadable: 1 });
    expect(findings).toContainEqual({
      kind: "unreadable",
      key: keys.tweetLikes(liked),
      detail: expect.stringContaining("WRONGTYPE") as string,
      repair: "needs a decision",
      repaired: false,
    });
    expect(await redis().get(keys.likes(viewer))).toBe("no list");
    await redis().restore(keys.likes(viewer), 0, likes, "REPLACE");
    expect((await runDoctor(world)).findings).toEqual([]);
  });
});
