import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { stampAt, type TweetId, tweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import {
  muteConversation,
  unmuteConversation,
} from "../../../src/domain/notifications/muted-conversations.ts";
import {
  type Notice,
  notify,
  retract,
  retractAbout,
  clearNotifications,
  dismissNotifications,
  notificationsAfter,
  notificationsKept,
} from "../../../src/domain/notifications/store.ts";
import { notifyAll } from "../../../src/domain/notifications/notify-all.ts";
import { keys } from "../../../src/redis/keys.ts";
import { dump } from "../../support/world/dump.ts";
import { newPeople } from "../../support/actors/people.ts";
import { pausingBefore } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { countOf } from "../../support/world/test-redis.ts";

describe("notifying a user", () => {
  let world: World;
  let to: UserId;
  let actor: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    [to, actor] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const like = (): Notice => ({ to, kind: "like", tweet: tweetId(5), actor });
  const told = async () => await notificationsAfter(world.ctx, to, 0);

  it("a notification is kept once, with its first stamp, however often it is sent", async () => {
    await notify(world.ctx, { ...like(), stamp: 100 });
    const once = await dump(world.ctx);
    await notify(world.ctx, { ...like(), stamp: 200 });
    expect(await dump(world.ctx)).toEqual(once);
    expect(await told()).toEqual([{ kind: "like", tweet: "5", actor, stamp: 100 }]);
  });

  it("a notification of a follow has no tweet", async () => {
    await notify(world.ctx, { to, kind: "follow", actor, stamp: 7 });
    expect(await told()).toEqual([{ kind: "follow", tweet: undefined, actor, stamp: 7 }]);
    const members = await world.ctx.redis.zrange(keys.notifications(to), 0, "-1");
    expect(members).toEqual([`follow::${actor}`]);
  });

  it("a cleared notification does not come back, but a later action does (R15)", async () => {
    await notify(world.ctx, { ...like(), stamp: 100 });
    await clearNotifications(world.ctx, to);
    await notify(world.ctx, { ...like(), stamp: 100 });
    await notify(world.ctx, { to, kind: "follow", actor, stamp: 99 });
    expect(await told()).toEqual([]);
    await notify(world.ctx, { ...like(), stamp: 101 });
    expect(await told()).toEqual([{ kind: "like", tweet: "5", actor, stamp: 101 }]);
  });

  it("a dismissed notification does not come back within a day, and others do", async () => {
    const stamp = stampAt(world.ctx.now(), "0");
    await notify(world.ctx, { ...like(), stamp });
    await dismissNotifications(world.ctx, to, await told());
    // The job that makes the notification agree with the like runs once more; then it is taken back and given again.
    await notify(world.ctx, { ...like(), stamp });
    await retract(world.ctx, like());
    await notify(world.ctx, { ...like(), stamp: stamp + 1 });
    expect(await told()).toEqual([]);
    await notify(world.ctx, { ...like(), kind: "retweet", stamp });
    expect(await told()).toMatchObject([{ kind: "retweet" }]);
    world.pass(25 * 3_600_000);
    await notify(world.ctx, { ...like(), stamp: stamp + 2 });
    expect(await told()).toMatchObject([{ kind: "like" }, { kind: "retweet" }]);
  });

  it("what an app dismissed, and what was cleared, does not come back with a repeated delivery", async () => {
    const { ctx } = world;
    const kindsTold = async () => (await told()).map(({ kind }) => kind);
    const later = () => stampAt(ctx.now(), "0");
    const status = { kind: "status" as const, actor, tweet: tweetId(6) };
    await notifyAll(ctx, [to], { ...status, stamp: later() });
    await dismissNotifications(ctx, to, await told());
    world.pass(1000);
    await notifyAll(ctx, [to], { ...status, stamp: later() });
    expect(await kindsTold()).toEqual([]);
    const mention = { to, kind: "mention" as const, actor, tweet: tweetId(7) };
    await notify(ctx, { ...mention, stamp: later() });
    expect(await kindsTold()).toEqual(["mention"]);
    await clearNotifications(ctx, to);
    world.pass(1000);
    await notify(ctx, { ...mention, stamp: later() });
    expect(await kindsTold()).toEqual([]);
  });

  it("a mention that arrives while notifications are cleared stays", async () => {
    const { ctx } = world;
    const mention = (tweet: number) => {
      const stamp = stampAt(ctx.now() + tweet, "0");
      return notify(ctx, { to, kind: "mention", actor, tweet: tweetId(tweet), stamp });
    };
    await mention(8);
    await clearNotifications(
      pausingBefore(ctx, ["raiseField"], () => mention(9)),
      to,
    );
    expect(await told()).toMatchObject([{ tweet: "9" }]);
  });

  it("a notification can be taken back once or twice", async () => {
    await notify(world.ctx, { ...like(), stamp: 100 });
    for (let time = 0; time < 2; time += 1) {
      await retract(world.ctx, like());
      expect(await told()).toEqual([]);
    }
  });

  it("users are not notified of their own actions, and deleted users not at all", async () => {
    await notify(world.ctx, { ...like(), actor: to, stamp: 1 });
    expect(await told()).toEqual([]);
    const nobody = userId(999_999);
    await notify(world.ctx, { ...like(), to: nobody, stamp: 1 });
    const { redis } = world.ctx;
    expect(await countOf(redis, keys.notifications(nobody), keys.user(nobody))).toBe(0);
  });

  it.each(["mutes", "blocks", "blockedBy"] as const)(
    "no notification is sent where there are %s",
    async (list) => {
      await world.ctx.redis.zadd(keys[list](to), 1, actor);
      await notify(world.ctx, { ...like(), stamp: 1 });
      expect(await told()).toEqual([]);
      await world.ctx.redis.del(keys[list](to));
      await notify(world.ctx, { ...like(), stamp: 1 });
      expect(await told()).toHaveLength(1);
    },
  );

  it("the newest 1,000 notifications are kept", async () => {
    for (let nth = 1; nth <= notificationsKept + 20; nth += 1)
      await notify(world.ctx, { to, kind: "like", tweet: tweetId(nth), actor, stamp: nth });
    const kept = await told();
    expect(kept).toHaveLength(notificationsKept);
    expect(kept.at(-1)?.stamp).toBe(21);
    expect(kept[0]?.stamp).toBe(notificationsKept + 20);
    // What is older than all that is kept does not come back.
    await notify(world.ctx, { to, kind: "like", tweet: tweetId(3), actor, stamp: 3 });
    expect(await told()).toEqual(kept);
  });

  it("notifications of one moment have stamps of their own, in the order of their arrival", async () => {
    for (const tweet of ["7", "5", "6", "5"].map(tweetId))
      await notify(world.ctx, { to, kind: "like", tweet, actor, stamp: 100 });
    await notify(world.ctx, { to, kind: "follow", actor, stamp: 99 });
    expect((await told()).map(({ tweet, stamp }) => [tweet, stamp])).toEqual([
      ["6", 102],
      ["5", 101],
      ["7", 100],
      [undefined, 99],
    ]);
  });

  /** Answers to the last of `ids`, each to the one before; the user is notified of each if `isNotice`. */
  async function answer(ids: TweetId[], count: number, { isNotice = false } = {}): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      const tweet = await postTweet(world.ctx, actor, { text: "words", replyTo: ids.at(-1) });
      ids.push(tweet);
      // Expected: many of one account are no flood.
      if (isNotice)
        await notify(world.ctx, { to, kind: "mention", tweet, actor, stamp: 100, expected: true });
    }
  }

  it("a conversation is muted at its last tweet, however many there are above", async () => {
    const ids: TweetId[] = [];
    await answer(ids, 120);
    await muteConversation(world.ctx, to, ids.at(-1) as TweetId);
    await answer(ids, 2, { isNotice: true });
    expect(await told()).toEqual([]);
  });

  it("a muted conversation stays muted however long it becomes, and is unmuted as a whole", async () => {
    const ids: TweetId[] = [];
    await answer(ids, 60);
    const [first, last] = [ids[0] as TweetId, ids.at(-1) as TweetId];
    await muteConversation(world.ctx, to, last);
    await answer(ids, 155, { isNotice: true });
    expect(await told()).toEqual([]);
    const branch = [ids[30] as TweetId];
    await answer(branch, 1, { isNotice: true });
    expect(await told()).toEqual([]);
    // Many answers to one tweet share marks: they do not push out other mutes.
    const countMarks = () => world.ctx.redis.zcard(keys.mutedConversations(to));
    const marks = await countMarks();
    for (const parent of [209, 211])
      for (let nth = 0; nth < 5; nth += 1)
        await answer([ids[parent] as TweetId], 1, { isNotice: true });
    expect(await countMarks()).toBeLessThan(marks + 3);
    await unmuteConversation(world.ctx, to, first);
    await answer(ids, 1, { isNotice: true });
    expect((await told()).map(({ tweet }) => tweet)).toEqual([ids.at(-1)]);
    expect(await countOf(world.ctx.redis, keys.mutedConversations(to))).toBe(0);
  });

  it("notifications of one tweet are removed together, for all users", async () => {
    const other = userId(Number(actor) + 1000);
    for (const kind of ["like", "retweet"] as const)
      for (const tweet of [tweetId(5), tweetId(6)])
        for (const someone of [actor, other])
          await notify(world.ctx, { to, kind, tweet, actor: someone, stamp: 9 });
    await retractAbout(world.ctx, { to, tweet: tweetId(5) });
    const left = await told();
    expect(left).toHaveLength(4);
    expect(left.every(({ tweet }) => tweet === "6")).toBe(true);
  });
});
