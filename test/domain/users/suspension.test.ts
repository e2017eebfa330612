import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Forbidden, Suspended } from "../../../src/domain/errors.ts";
import { type TweetId, type UserId, stampAt } from "../../../src/domain/ids.ts";
import { addToTimelines } from "../../../src/domain/timelines/store.ts";
import { globalFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import { createTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { findFeedItem } from "../../../src/domain/feeds/thread.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { listSessions, openSession } from "../../../src/domain/users/sessions.ts";
import { reinstateUser, suspendedPage, suspendUser } from "../../../src/domain/users/suspension.ts";
import { newestUsers } from "../../../src/domain/users/listed.ts";
import { findUser, getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { dump } from "../../support/world/dump.ts";
import { getViewer, newPeople, readAll, postAndDeliver } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a suspended person", () => {
  let world: World;
  let user: User;
  let other: UserId;
  let reader: UserId;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    const [id, ...rest] = (await newPeople(world.ctx, 3)) as [UserId, UserId, UserId];
    [other, reader] = rest;
    user = await fresh(id);
  });
  afterAll(() => world.close());

  const fresh = async (id: UserId) => (await findUser(world.ctx, id)) as User;

  async function write(id: string, tweet: Partial<Tweet> & { author: UserId }): Promise<TweetId> {
    const stamp = stampAt(world.ctx.now(), id);
    const whole = { id: id as TweetId, text: "", createdAt: stamp, ...tweet };
    await createTweet(world.ctx, whole);
    await addToTimelines(world.ctx, { tweet: whole.id, author: tweet.author, stamp });
    return whole.id;
  }

  it("a suspended user and retweets of their tweets are hidden from all until reinstated", async () => {
    const own = await postAndDeliver(world.ctx, user.id, "by the suspended");
    const foreign = await postAndDeliver(world.ctx, other, "by another");
    await write("9001", { author: user.id, retweetOf: { tweet: foreign, author: other } });
    await write("9002", { author: other, retweetOf: { tweet: own, author: user.id } });
    const quoting = await write("9003", {
      author: other,
      text: "look",
      quoteOf: { tweet: own, author: user.id },
    });
    const read = async (viewer: User | undefined) => {
      const { items } = await globalFeed(world.ctx, { viewer });
      return items.map(({ tweet, retweet, quote }) => [(retweet ?? tweet).id, quote?.id]);
    };
    const viewers = async () => [undefined, await fresh(reader), await fresh(other)];
    const whole = [
      ["9003", own],
      ["9002", undefined],
      ["9001", undefined],
    ];
    const ends = [
      [foreign, undefined],
      [own, undefined],
    ];
    for (const viewer of await viewers()) expect(await read(viewer)).toEqual([...whole, ...ends]);

    await suspendUser(world.ctx, user);
    for (const viewer of await viewers()) {
      expect(await read(viewer)).toEqual([
        ["9003", undefined],
        [foreign, undefined],
      ]);
      expect(await findFeedItem(world.ctx, viewer, own)).toBeUndefined();
      expect(await findFeedItem(world.ctx, viewer, "9002" as TweetId)).toBeUndefined();
      expect((await findFeedItem(world.ctx, viewer, quoting))?.quote).toBeUndefined();
      expect((await userFeed(world.ctx, user.id, { viewer })).items).toEqual([]);
    }
    // Hidden, not deleted: nothing was taken out of any list.
    expect((await getTweet(world.ctx, own)).text).toBe("by the suspended");

    await reinstateUser(world.ctx, user);
    for (const viewer of await viewers()) expect(await read(viewer)).toEqual([...whole, ...ends]);
  });

  it("a suspended user is found by name only for moderation", async () => {
    await suspendUser(world.ctx, user);
    await expect(getUserByName(world.ctx, user.name)).rejects.toThrow(Suspended);
    expect(await suspendedPage(world.ctx, { before: undefined, limit: 5 })).toMatchObject({
      items: [{ user: { id: user.id, suspended: true } }],
      older: undefined,
    });
    const newest = async () => (await newestUsers(world.ctx, 50)).map((one) => one.id);
    expect(await newest()).not.toContain(user.id);
    await reinstateUser(world.ctx, user);
    expect(await getUserByName(world.ctx, user.name)).toMatchObject({
      id: user.id,
      suspended: false,
    });
    expect((await suspendedPage(world.ctx, { before: undefined, limit: 5 })).items).toEqual([]);
    expect(await newest()).toEqual((await newestUsers(world.ctx, 50)).map((one) => one.id));
    expect(await newest()).toContain(user.id);
  });

  it("a suspended user has no session left", async () => {
    for (const session of ["one", "two"]) {
      await openSession(world.ctx, user.id, session);
      await world.ctx.redis.set(keys.sessionPrefix + session, "{}");
    }
    await suspendUser(world.ctx, user);
    expect(await listSessions(world.ctx, user.id)).toEqual([]);
    expect(await world.ctx.redis.exists(`${keys.sessionPrefix}one`)).toBe(0);
    await reinstateUser(world.ctx, user);
  });

  it("a suspended user is told so at log-in only with the right password", async () => {
    await world.newcomer("locked");
    const locked = await getUserByName(world.ctx, "locked");
    await suspendUser(world.ctx, locked);
    const attempt = (secret: string) => logIn(world.ctx, { name: "locked", password: secret });
    await expect(attempt("wrong one")).rejects.toMatchObject({
      problems: { form: "credentials.wrong" },
    });
    await expect(attempt(password)).rejects.toMatchObject({
      problems: { form: "account.suspended" },
    });
    await reinstateUser(world.ctx, locked);
    expect((await attempt(password)).user).toBe(locked.id);
  });

  it("suspending twice is the same as once", async () => {
    await suspendUser(world.ctx, user);
    const once = await dump(world.ctx);
    await suspendUser(world.ctx, await fresh(user.id));
    const twice = await dump(world.ctx);
    expect(twice.get(keys.suspended)).toEqual(once.get(keys.suspended));
    expect([...twice.keys()]).toEqual([...once.keys()]);
    await reinstateUser(world.ctx, user);
    const back = await dump(world.ctx);
    await reinstateUser(world.ctx, user);
    expect(await dump(world.ctx)).toEqual(back);
  });

  it("an admin cannot be suspended", async () => {
    await world.newcomer("Boss");
    const boss = await getUserByName(world.ctx, "boss");
    await expect(suspendUser(world.ctx, boss)).rejects.toThrow(Forbidden);
    expect((await fresh(boss.id)).suspended).toBe(false);
    expect(await world.ctx.redis.zscore(keys.suspended, boss.id)).toBeNull();
  });

  it("suspended users are listed in pages to the end", async () => {
    const people = await newPeople(world.ctx, 12);
    for (const id of people) await suspendUser(world.ctx, await fresh(id));
    for (const limit of [1, 5, 12]) {
      const all = await readAll((before) => suspendedPage(world.ctx, { before, limit }));
      expect(all.map((one) => one.user.id).toSorted()).toEqual([...people].toSorted());
    }
    expect(await getViewer(world.ctx, reader)).toMatchObject({ suspended: false });
  });
});
