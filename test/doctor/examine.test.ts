import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientId, tweetId, userId } from "../../src/domain/ids.ts";
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
  const nobody = userId(4711);
  /** Of an app that somebody has let in. */
  const appKey = async () => {
    const [token = "{}"] = Object.values(await redis().hgetall(keys.tokens(viewer)));
    return keys.app((JSON.parse(token) as { app: ClientId }).app);
  };
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
    ["a name that leads nowhere", "user-name", () => redis().del(keys.username("writer"))],
    ["a name that would vanish", "user-name", () => redis().expire(keys.username("writer"), 1000)],
    ["a user who would vanish", "user-not-kept", () => redis().expire(keys.user(writer), 1000)],
    ["a tweet that would vanish", "tweet-expires", () => redis().expire(keys.tweet(mine), 1000)],
    ["suspended users that are not listed", "user-suspended", () => redis().del(keys.suspended)],
    [
      "a picture that is not there",
      "user-avatar",
      () => redis().hset(keys.user(writer), "avatar", "1"),
    ],
    [
      "another's tweet on a profile",
      "user-pinned",
      () => redis().hset(keys.user(spammer), "pinned", liked),
    ],
    ["what a user left behind", "left-behind", () => redis().zadd(keys.mutes(nobody), 1, 1)],
    [
      "a new user who never was",
      "user-listed-wrongly",
      () => redis().zadd(keys.newestUsers, 1, nobody),
    ],
    [
      "a session that no list names",
      "session-unlisted",
      () => redis().set(`${keys.sessionPrefix}stray`, JSON.stringify({ user: viewer }), "EX", 1000),
    ],
    ["an app that would vanish", "token-app", async () => redis().expire(await appKey(), 1000)],
    [
      "a word under which a tweet is missing",
      "tweet-index",
      () => redis().del(keys.searchTerm("viewer")),
    ],
    [
      "a word of a tweet that is gone",
      "tweet-index",
      () => redis().zadd(keys.searchTerm("viewer"), 1, never),
    ],
    ["a user whom no search finds", "people-index", () => redis().del(keys.searchPeople("w"))],
    [
      "a user whose entries nobody knows",
      "people-index",
      () => redis().del(keys.indexedPerson(writer)),
    ],
    [
      "a name of nobody",
      "people-index",
      () => redis().zadd(keys.searchPeople("w"), 0, `who ${spammer}`),
    ],
    ["reports that do not wait", "report-queue", () => redis().del(keys.openReports)],
    ["a case without reports", "report-queue", () => redis().zadd(keys.openReports, 1, `t${mine}`)],
    [
      "a report that its reporter forgot",
      "report-mirror",
      () => redis().del(keys.reportsBy(viewer)),
    ],
    [
      "a cache that would stay for ever",
      "no-expiry",
      () => redis().persist(keys.homeTimeline(viewer)),
    ],
    [
      "a home timeline that lacks a tweet",
      "home",
      () => redis().zrem(keys.homeTimeline(viewer), liked),
    ],
    [
      "a home timeline without a floor",
      "home",
      () => redis().zrem(keys.homeTimeline(writer), "floor"),
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

  it("finds an account whose deletion nothing goes on with, and goes on with it", async () => {
    await world.newcomer("leaver");
    await settled(world);
    const leaver = await idOf("leaver");
    await redis().hset(keys.user(leaver), "deleted_at", 1);
    expect((await diagnose(world)).counts).toEqual({ "user-not-erased": 1 });
    await diagnose(world, { repair: true });
    await settled(world);
    expect(await redis().exists(keys.user(leaver))).toBe(0);
    expect((await diagnose(world)).findings).toEqual([]);
  });

  it("finds a dead letter, and runs it again", async () => {
    await world.queues.all()[2]?.add("settle-nothing", {}, { attempts: 1 });
    await settled(world);
    expect((await diagnose(world)).findings).toEqual([
      expect.objectContaining({
        kind: "job-failed",
        detail: "settle-nothing failed for good: unknown chore settle-nothing",
        repair: "run it again",
      }),
    ]);
    for (const queue of world.queues.all()) await queue.clean(0, 100, "failed");
  });

  it("leaves an account that was lost to a person to decide", async () => {
    const account = await redis().hgetall(keys.user(writer));
    await redis().del(keys.user(writer));
    const { findings } = await diagnose(world, { repair: true });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: "user-lost", repair: "needs a decision", repaired: false }),
    );
    expect(await redis().exists(keys.userTimeline(writer))).toBe(1);
    await redis().hset(keys.user(writer), account);
    await diagnose(world, { repair: true });
    expect((await diagnose(world)).findings).toEqual([]);
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
    // Caches, which a repair may delete.
    for (const user of [viewer, writer]) all.delete(keys.homeTimeline(user));
    for (const value of all.values())
      if (typeof value === "object" && value !== null)
        for (const field of ["version", "notified", "avatar"])
          delete (value as Record<string, unknown>)[field];
    return all;
  }
});
