import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteAccount, eraseAccount } from "../../../src/domain/accounts/erase.ts";
import type { Ctx, Jobs } from "../../../src/context.ts";
import { Conflict, Invalid } from "../../../src/domain/errors.ts";
import { type TweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import { indexPerson } from "../../../src/domain/search/index-person.ts";
import { reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { findOpenSession } from "../../../src/domain/users/sessions.ts";
import { signUp } from "../../../src/domain/users/sign-up.ts";
import {
  findMentioned,
  findUser,
  findUserByName,
  findUsers,
  isNameTaken,
} from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { followCounts } from "../../support/inspect/counts.ts";
import { dump } from "../../support/world/dump.ts";
import { outcomeOf, type LeavingScene, createLeavingScene, tracesOf } from "./leaving-scene.ts";
import { freshProcess, endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { readHomePage, postAndDeliver } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";

/** No number like it stands anywhere else. */
const firstId = 770_001;

describe("deleting an account", () => {
  let world: World;
  let ctx: Ctx;
  /** Promises of erasing, as a worker would find them. */
  let promised: Parameters<Jobs["workOnAccount"]>[0][];
  /** Who is to be found, or found no more. */
  let toIndex: UserId[];
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    [promised, toIndex] = [[], []];
    const jobs: Jobs = {
      ...world.ctx.jobs,
      workOnAccount: async (work) => void promised.push(work),
      chore: async (name, data, when) => {
        if (name === "index-person" && "user" in data) toIndex.push(data.user);
        await world.ctx.jobs.chore(name, data, when);
      },
    };
    ctx = { ...world.ctx, jobs };
    await ctx.redis.set(keys.userIds, firstId - 1);
  });
  afterEach(() => world.close());

  async function stage(): Promise<LeavingScene> {
    const scene = await createLeavingScene(ctx);
    [promised, toIndex] = [[], []];
    return scene;
  }

  /** Does what was promised, to the end. */
  async function keepPromises(): Promise<void> {
    for (let work = promised.shift(); work !== undefined; work = promised.shift())
      if (work.task === "erase") await eraseAccount(ctx, work);
    await index();
  }

  async function index(): Promise<void> {
    for (const user of toIndex.splice(0)) await indexPerson(ctx, user);
  }

  it("deleting an account leaves only tombstones, expiring counters and what others wrote to it", async () => {
    const { leaver, friend, other } = await stage();
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await keepPromises();
    const traces = await tracesOf(ctx, leaver);
    const counters = traces.filter((key) => key.startsWith(`${keys.ratePrefix}:`));
    for (const key of counters) expect(await ctx.redis.ttl(key)).toBeGreaterThan(0);
    const left = traces.filter((key) => !counters.includes(key));
    // A reply of another user keeps the id it answers: it is not a tweet to all.
    const byOthers = /^(tweet:\d+|user:\d+:replies)$/;
    expect(left.filter((key) => !byOthers.test(key))).toEqual([keys.username("leaver")]);
    expect(left).toEqual(expect.arrayContaining([keys.replies(other)]));
    expect(left.length).toBeLessThan(5);
    // The name in others' texts and links never becomes another user's.
    expect(await isNameTaken(ctx, "leaver")).toBe(true);
    expect(await findUserByName(ctx, "leaver")).toBeUndefined();
    expect(await findMentioned(ctx, ["leaver"])).toEqual([]);
    const again = { name: "LEAVER", fullname: "Somebody else", password: "a new horse 42" };
    await expect(signUp(ctx, again)).rejects.toThrow(Conflict);
    expect(await followCounts(ctx, friend)).toEqual({ followers: 1, followings: 0 });
    expect(await followCounts(ctx, other)).toEqual({ followers: 0, followings: 1 });
    const { items } = await readHomePage(ctx, other);
    expect(items.map(({ text }) => text)).toEqual(["a reply to it", "theirs"]);
    const theirTweet = items.find(({ text }) => text === "theirs")?.id as TweetId;
    const counts = await ctx.redis.hmget(keys.tweet(theirTweet), "replies", "retweets", "likes");
    expect(counts).toEqual(["0", "0", "0"]);
  });

  it("a deleted account is gone at once: not found, no log-in, its name stays taken", async () => {
    const { leaver } = await stage();
    await deleteAccount(ctx, leaver, { name: "@LEAVER ", password });
    expect(await findUser(ctx, leaver.id)).toBeUndefined();
    expect(await findUserByName(ctx, "leaver")).toBeUndefined();
    expect((await findUsers(ctx, [leaver.id])).size).toBe(0);
    expect(await findOpenSession(ctx, leaver.id, "a-session")).toBeUndefined();
    await expect(logIn(ctx, { name: "leaver", password })).rejects.toThrow(Invalid);
    expect(await isNameTaken(ctx, "leaver")).toBe(true);
    expect(promised).toEqual([{ task: "erase", user: leaver.id, pass: "first" }]);
  });

  it("deleting an account requires name and password, and changes nothing without them", async () => {
    const { leaver } = await stage();
    const before = await dump(ctx);
    for (const [typed, field] of [
      [{ name: "somebody", password }, "name"],
      [{ name: "", password }, "name"],
      [{ name: "leaver", password: "wrong horse 42" }, "password"],
      [{ name: "leaver", password: "" }, "password"],
    ] as const) {
      const deleting = deleteAccount(ctx, leaver, typed);
      await expect(deleting).rejects.toHaveProperty(["problems", field]);
    }
    expect(await dump(ctx)).toEqual(before);
    expect(promised).toEqual([]);
  });

  it("accounts in ADMINS cannot be deleted", async () => {
    const { leaver } = await stage();
    const before = await dump(ctx);
    const as = { ...ctx, config: { ...ctx.config, admins: ["leaver"] } };
    const deleting = deleteAccount(as, leaver, { name: "leaver", password });
    await expect(deleting).rejects.toHaveProperty("problems", { form: "account.admin" });
    expect(await dump(ctx)).toEqual(before);
    expect(promised).toEqual([]);
  });

  it("a job erases no account whose user did not ask for it, and no admin's", async () => {
    const { leaver } = await stage();
    const before = await dump(ctx);
    const job = { user: leaver.id, pass: "last" } as const;
    await expect(eraseAccount(ctx, job)).rejects.toThrow("did not delete the account");
    expect(await dump(ctx)).toEqual(before);
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await ctx.redis.hset(keys.user(leaver.id), "role", "admin");
    await expect(eraseAccount(ctx, job)).rejects.toThrow("is an admin");
    expect(await ctx.redis.exists(keys.user(leaver.id))).toBe(1);
  });

  it("deleting an account removes what was written while it ran", async () => {
    const { leaver, friend } = await stage();
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await eraseAccount(ctx, { user: leaver.id, pass: "first" });
    expect(promised).toContainEqual({ task: "erase", user: leaver.id, pass: "last" });
    await postAndDeliver(ctx, leaver.id, "a request that was under way");
    // It had found that they may be followed.
    await ctx.redis.zadd(keys.followings(friend), 1, leaver.id);
    await reconcileFollow(ctx, { follower: friend, followee: leaver.id });
    await eraseAccount(ctx, { user: leaver.id, pass: "last" });
    await index();
    const left = await tracesOf(ctx, leaver);
    expect(left.filter((key) => key.startsWith(`user:${leaver.id}`))).toEqual([]);
    expect(await followCounts(ctx, friend)).toMatchObject({ followings: 0 });
    // A job that comes late, or twice, finds nothing to do.
    const before = await dump(ctx);
    await eraseAccount(ctx, { user: leaver.id, pass: "last" });
    expect(await dump(ctx)).toEqual(before);
  });

  it("deleting an account leaves nothing with its reporters, even after a decision that ended in the middle", async () => {
    const { leaver } = await stage();
    const about = `p${leaver.id}`;
    const reports = await ctx.redis.hgetall(keys.reportsOf(about));
    const [reporter = ""] = Object.keys(reports);
    // The decision has closed the report, but not yet removed it from the reporter's list.
    await ctx.redis.hset(keys.resolvedReports(about), reports);
    await ctx.redis.del(keys.reportsOf(about));
    await ctx.redis.zadd(keys.outcomes(userId(reporter)), 1, `${about} acted`, 2, `${about} none`);
    await deleteAccount(ctx, leaver, { name: "leaver", password });
    await keepPromises();
    for (const key of [keys.reportsBy, keys.outcomes])
      expect(await ctx.redis.zrange(key(userId(reporter)), 0, "-1")).toEqual([]);
  });

  it("deleting an account ends the same wherever a process dies", async () => {
    const again = async () => {
      await emptyRedis(ctx.redis);
      ctx = { ...freshProcess(world.ctx), jobs: ctx.jobs };
      await ctx.redis.set(keys.userIds, firstId - 1);
      return await stage();
    };
    const confirmed = { name: "leaver", password };
    const { leaver } = await stage();
    await deleteAccount(ctx, leaver, confirmed);
    await keepPromises();
    const expected = await outcomeOf(ctx);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 320 }), { minLength: 1, maxLength: 3 }),
        async (first, ends) => {
          const { leaver: person } = await again();
          // From the first command on there is the promise.
          await untilEnded(deleteAccount(endingAfter(ctx, first), person, confirmed));
          const isThere = (await findUser(ctx, person.id)) !== undefined;
          expect(isThere || promised.length > 0).toBe(true);
          if (promised.length === 0) return;
          const job = { task: "erase", user: person.id, pass: "first" } as const;
          for (const end of ends) await untilEnded(eraseAccount(endingAfter(ctx, end), job));
          promised = [job];
          await keepPromises();
          const found = await outcomeOf(ctx);
          expect(found).toEqual(expected);
          expect(await tracesOf(ctx, person)).toEqual(
            expect.not.arrayContaining([keys.user(person.id), keys.newestUsers]),
          );
        },
      ),
      runs(25),
    );
  }, 90_000);
});
