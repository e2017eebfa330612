import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteAccount, eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { startImport } from "../../../src/domain/accounts/import.ts";
import type { Ctx, Jobs } from "../../../src/context.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { followCounts } from "../../../src/domain/follows/store.ts";
import { follow } from "../../../src/domain/timelines/follow.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { likeTweet } from "../../../src/domain/tweets/like.ts";
import { postTweet } from "../../../src/domain/tweets/post.ts";
import { retweet } from "../../../src/domain/tweets/retweet.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { hashPassword } from "../../../src/domain/users/passwords.ts";
import { findOpenSession, openSession } from "../../../src/domain/users/sessions.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import {
  findUser,
  findUserByName,
  findUsers,
  isNameTaken,
  type User,
} from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { dump } from "../../support/dump.ts";
import { exportWith } from "../../support/exports.ts";
import { Died, mortal } from "../../support/mortal.ts";
import { homeOf, say } from "../../support/people.ts";
import { createWorld, type World } from "../../support/world.ts";

const password = "correct horse 42";
/** No number like it stands anywhere else. */
const firstId = 770_001;

describe("deleting an account", () => {
  let world: World;
  let ctx: Ctx;
  /** Promises of erasing, as a worker would find them. */
  let promised: Parameters<Jobs["workOnAccount"]>[0][];
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    promised = [];
    const jobs: Jobs = {
      ...world.ctx.jobs,
      workOnAccount: async (work) => void promised.push(work),
    };
    ctx = { ...world.ctx, jobs };
    await ctx.redis.set(keys.userIds, firstId - 1);
  });
  afterEach(() => world.close());

  interface Scene {
    leaver: User;
    friend: UserId;
    other: UserId;
  }

  /** Somebody who has done everything that one can do here, with two people who stay. */
  async function scene(): Promise<Scene> {
    const pass = await hashPassword(password, 4);
    const id = await createUser(ctx, { name: "Leaver", fullname: "Lee Aver", pass });
    const friend = await createUser(ctx, { name: "friend", fullname: "Friend", pass: "none" });
    const other = await createUser(ctx, { name: "other", fullname: "Other", pass: "none" });
    for (const person of [id, friend, other]) await prepareHome(ctx, person, "new");
    await follow(ctx, { follower: id, followee: friend });
    await follow(ctx, { follower: friend, followee: id });
    await follow(ctx, { follower: other, followee: id });
    await follow(ctx, { follower: other, followee: friend });
    const mine = await say(ctx, id, "mine");
    const theirs = await say(ctx, friend, "theirs");
    for (const text of ["one", "two", "three"]) await say(ctx, id, text);
    await postTweet(ctx, id, { text: "my reply", replyTo: theirs });
    await postTweet(ctx, other, { text: "a reply to it", replyTo: mine });
    await retweet(ctx, id, theirs);
    await retweet(ctx, friend, mine);
    await likeTweet(ctx, id, theirs);
    await likeTweet(ctx, friend, mine);
    await openSession(ctx, id, "a-session");
    await ctx.redis.set(`${keys.sessionPrefix}a-session`, JSON.stringify({ user: id }));
    await ctx.redis.zadd(keys.blocks(id), 1, other);
    await ctx.redis.zadd(keys.blockedBy(other), 1, id);
    await ctx.redis.zadd(keys.blocks(other), 1, id);
    await ctx.redis.zadd(keys.blockedBy(id), 1, other);
    await ctx.redis.zadd(keys.mutes(id), 1, other);
    await startImport(
      ctx,
      id,
      exportWith({ tweets: [{ text: "old", created_at: "2020-01-01T00:00:00Z" }] }),
    );
    promised = [];
    return { leaver: (await findUser(ctx, id)) as User, friend, other };
  }

  /** Does what was promised, to the end. */
  async function keepPromises(): Promise<void> {
    for (let work = promised.shift(); work !== undefined; work = promised.shift())
      if (work.task === "erase") await eraseAccount(ctx, work);
  }

  /** Everything that still names somebody: keys, members, fields. What others wrote is theirs. */
  async function traces(user: User): Promise<string[]> {
    const own = new RegExp(`(?<!\\d)${user.id}(?!\\d)|${user.name}`, "i");
    const found: string[] = [];
    for (const [key, value] of await dump(ctx)) {
      const isTombstone = /^tweet:\d+$/.test(key) && Object.hasOwn(value as object, "deleted_at");
      if (isTombstone) {
        expect(await ctx.redis.ttl(key)).toBeGreaterThan(0);
        expect(value).not.toHaveProperty("text");
        continue;
      }
      if (own.test(`${key} ${JSON.stringify(value)}`)) found.push(key);
    }
    return found;
  }

  it("leaves no trace but tombstones that expire, and in what others wrote to them", async () => {
    const { leaver, friend, other } = await scene();
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await keepPromises();
    const left = await traces(leaver);
    // A reply of somebody else says whom it answers, as it is known to be no tweet to everybody.
    const byOthers = /^(tweet:\d+|user:\d+:replies)$/;
    expect(left.filter((key) => !byOthers.test(key))).toEqual([]);
    expect(left).toEqual(expect.arrayContaining([keys.replies(other)]));
    expect(left.length).toBeLessThan(5);
    expect(await isNameTaken(ctx, "leaver")).toBe(false);
    expect(await followCounts(ctx, friend)).toEqual({ followers: 1, followings: 0 });
    expect(await followCounts(ctx, other)).toEqual({ followers: 0, followings: 1 });
    const { items } = await homeOf(ctx, other);
    expect(items.map(({ text }) => text)).toEqual(["a reply to it", "theirs"]);
    const theirTweet = items.find(({ text }) => text === "theirs")?.id as TweetId;
    const counts = await ctx.redis.hmget(keys.tweet(theirTweet), "replies", "retweets", "likes");
    expect(counts).toEqual(["0", "0", "0"]);
  });

  it("is at once for everybody: nobody finds them, nothing lets them in, their name stays taken", async () => {
    const { leaver } = await scene();
    await deleteAccount(ctx, leaver, { name: "@LEAVER ", password });
    expect(await findUser(ctx, leaver.id)).toBeUndefined();
    expect(await findUserByName(ctx, "leaver")).toBeUndefined();
    expect((await findUsers(ctx, [leaver.id])).size).toBe(0);
    expect(await findOpenSession(ctx, leaver.id, "a-session")).toBeUndefined();
    await expect(logIn(ctx, { name: "leaver", password })).rejects.toThrow(Invalid);
    expect(await isNameTaken(ctx, "leaver")).toBe(true);
    expect(promised).toEqual([{ task: "erase", user: leaver.id, pass: "first" }]);
  });

  it("asks for name and password, and changes nothing without them", async () => {
    const { leaver } = await scene();
    const before = await dump(ctx);
    for (const [typed, field] of [
      [{ name: "somebody", password }, "name"],
      [{ name: "", password }, "name"],
      [{ name: "leaver", password: "wrong horse 42" }, "password"],
      [{ name: "leaver", password: "" }, "password"],
    ] as const) {
      const error = await deleteAccount(ctx, leaver, typed).catch((caught: unknown) => caught);
      expect((error as Invalid).problems).toHaveProperty(field);
    }
    expect(await dump(ctx)).toEqual(before);
    expect(promised).toEqual([]);
  });

  it("takes along what was still being written while it ran, and leaves a name to whoever has it now", async () => {
    const { leaver, friend } = await scene();
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await eraseAccount(ctx, { user: leaver.id, pass: "first" });
    expect(promised).toContainEqual({ task: "erase", user: leaver.id, pass: "last" });
    await say(ctx, leaver.id, "a request that was under way");
    await follow(ctx, { follower: friend, followee: leaver.id });
    await ctx.redis.set(keys.username("leaver"), friend);
    await eraseAccount(ctx, { user: leaver.id, pass: "last" });
    await ctx.redis.set(keys.username("leaver"), friend, "XX");
    const left = await traces(leaver);
    expect(left.filter((key) => key.startsWith(`user:${leaver.id}`))).toEqual([]);
    expect(await followCounts(ctx, friend)).toMatchObject({ followings: 0 });
    expect(await ctx.redis.get(keys.username("leaver"))).toBe(friend);
    // A job that comes late, or twice, finds nothing to do.
    const before = await dump(ctx);
    await eraseAccount(ctx, { user: leaver.id, pass: "last" });
    expect(await dump(ctx)).toEqual(before);
  });

  it("comes to the same end wherever a process ends in the middle", async () => {
    /** The end of an undisturbed deletion: all but stamps of deletion and places in streams. */
    const outcome = async () => {
      const end: [string, unknown][] = [];
      for (const [key, value] of await dump(ctx)) {
        if (key === keys.deletions) continue;
        const isTombstone = /^tweet:\d+$/.test(key) && Object.hasOwn(value as object, "deleted_at");
        end.push([key, isTombstone ? "a tombstone" : withoutClock(value)]);
      }
      return end;
    };
    const die = async (work: Promise<void>) =>
      await work.then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Died)) throw error;
          return true;
        },
      );
    const again = async () => {
      await ctx.redis.flushdb();
      await ctx.redis.set(keys.userIds, firstId - 1);
      return await scene();
    };
    const confirmed = { name: "leaver", password };
    const { leaver } = await scene();
    await deleteAccount(ctx, leaver, confirmed);
    await keepPromises();
    const expected = await outcome();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 320 }), { minLength: 1, maxLength: 3 }),
        async (first, ends) => {
          const { leaver: person } = await again();
          // From the first command on there is the promise.
          await die(deleteAccount(mortal(ctx, first), person, confirmed));
          if (promised.length === 0) {
            expect(await findUser(ctx, person.id)).toBeDefined();
            return;
          }
          const job = { task: "erase", user: person.id, pass: "first" } as const;
          for (const end of ends) await die(eraseAccount(mortal(ctx, end), job));
          promised = [job];
          await keepPromises();
          const found = await outcome();
          expect(found).toEqual(expected);
          expect(await traces(person)).toEqual(
            expect.not.arrayContaining([keys.user(person.id), keys.newestUsers]),
          );
        },
      ),
      { numRuns: 25 },
    );
  }, 90_000);
});

/** Members without their stamps, fields without what a clock or chance made of them. */
function withoutClock(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => index % 2 === 0).toSorted();
  if (typeof value !== "object" || value === null) return value;
  const byChance = new Set(["created_at", "version", "pass"]);
  return Object.fromEntries(Object.entries(value).filter(([field]) => !byChance.has(field)));
}
