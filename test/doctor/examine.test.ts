import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import { dump } from "../support/dump.ts";
import { furnish } from "../support/furnished.ts";
import { diagnose, settled } from "../support/patient.ts";
import { createWorld, type World } from "../support/world.ts";

describe("the doctor", () => {
  let world: World;
  let [viewer, writer, spammer] = [userId(1), userId(1), userId(1)];
  let [liked, mine, reply, never] = [tweetId(1), tweetId(1), tweetId(1), tweetId(1)];

  beforeAll(async () => {
    world = await createWorld({ admins: ["viewer"] });
    const { values } = await furnish(world);
    await settled(world);
    viewer = await idOf("viewer");
    writer = await idOf("writer");
    spammer = await idOf("spammer");
    liked = tweetId(values["id"] ?? "");
    mine = tweetId((await world.ctx.redis.hget(keys.user(viewer), "pinned")) ?? "");
    reply = tweetId((await world.ctx.redis.zrange(keys.tweetReplies(liked), 0, "0"))[0] ?? "");
    never = tweetId(await redis().incr(keys.tweetIds));
  });
  afterAll(async () => world.close());

  const redis = () => world.ctx.redis;
  const idOf = async (name: string) => userId((await redis().get(keys.username(name))) ?? "");

  it("finds nothing in a site that is well", async () => {
    expect(await diagnose(world)).toMatchObject({ findings: [], counts: {}, left: 0 });
  });

  const broken: [what: string, kind: string, harm: () => Promise<unknown>][] = [
    ["a counter of users that fell back", "counter", () => redis().set(keys.userIds, 1)],
    ["a counter of tweets that is gone", "counter", () => redis().del(keys.tweetIds)],
    [
      "a follow without its mirror",
      "follow-mirror",
      () => redis().zrem(keys.followers(writer), viewer),
    ],
    [
      "a mirror without its follow",
      "follow-mirror",
      () => redis().zadd(keys.followers(spammer), 1e15, viewer),
    ],
    [
      "a mirror with another stamp",
      "follow-mirror",
      () => redis().zadd(keys.followers(writer), 1e15, viewer),
    ],
    ["a block without its mirror", "block-mirror", () => redis().del(keys.blockedBy(spammer))],
    [
      "a like without its mirror",
      "like-mirror",
      () => redis().zrem(keys.tweetLikes(liked), viewer),
    ],
    [
      "a mirror without its like",
      "like-mirror",
      () => redis().zadd(keys.tweetLikes(mine), 1e15, spammer),
    ],
    [
      "a retweet that its original does not list",
      "retweet-mirror",
      () => redis().del(keys.tweetRetweets(liked)),
    ],
    ["a retweet that no list names", "retweet-unknown", () => redis().del(keys.retweets(viewer))],
    [
      "a tweet that stands nowhere",
      "tweet-unlisted",
      () => redis().zrem(keys.userTimeline(viewer), mine),
    ],
    [
      "a reply that its parent does not list",
      "tweet-unlisted",
      () => redis().zrem(keys.tweetReplies(liked), reply),
    ],
    ["a wrong count", "tweet-count", () => redis().hset(keys.tweet(liked), "likes", 7)],
    [
      "a stamp that is not the tweet's",
      "listed-wrongly",
      () => redis().zadd(keys.userTimeline(viewer), 1e15, mine),
    ],
    [
      "a tweet in another's timeline",
      "listed-wrongly",
      () => redis().zadd(keys.userTimeline(viewer), 1e15, liked),
    ],
    [
      "a timeline entry of no tweet",
      "listed-wrongly",
      () => redis().zadd(keys.globalTimeline, 1e15, never),
    ],
    ["a truth that would vanish", "expiry", () => redis().expire(keys.likes(viewer), 1000)],
    [
      "a cache of the wrong type",
      "wrong-type",
      async () => {
        await redis().set(keys.searchTerm("zebra"), "no list");
      },
    ],
  ];

  it.each(broken)("finds %s, and repairs it", async (_, kind, harm) => {
    const before = await comparable();
    await harm();
    const dry = await diagnose(world);
    expect(Object.keys(dry.counts)).toContain(kind);
    const repaired = await diagnose(world, { repair: true });
    expect(repaired.findings.filter((one) => one.repaired !== true)).toEqual([]);
    await settled(world);
    expect((await diagnose(world)).findings).toEqual([]);
    expect(await comparable()).toEqual(before);
  });

  it("leaves alone and tells what it does not know", async () => {
    await redis().set("foreign:key", "1");
    const { findings } = await diagnose(world, { repair: true });
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

  /** All that is kept, but for what changes with every look and every repair. */
  async function comparable(): Promise<Map<string, unknown>> {
    const all = await dump(world.ctx);
    // Numbers that were handed out in vain do not count.
    for (const counter of [keys.userIds, keys.tweetIds, keys.appIds]) all.delete(counter);
    for (const value of all.values())
      if (typeof value === "object" && value !== null)
        for (const field of ["version", "notified"])
          delete (value as Record<string, unknown>)[field];
    return all;
  }
});
