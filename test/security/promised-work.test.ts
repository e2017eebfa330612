import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import { deleteAccount, eraseAccount } from "../../src/domain/accounts/erase.ts";
import { findImport } from "../../src/domain/accounts/import-store.ts";
import { findOldTweets, findSelfDeletion } from "../../src/domain/accounts/self-deletion.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { Invalid, Unauthenticated } from "../../src/domain/errors.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import { readingDeadline, recorded } from "../../src/domain/scope.ts";
import { readTweets } from "../../src/domain/tweets/store.ts";
import { holdRight } from "../../src/domain/users/roles.ts";
import { readUser, getUserByName, type User } from "../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { exportFileWith, fileTweets, previewImport } from "../support/data/account-files.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { pausingAfter } from "../support/world/ending-process.ts";
import { withItsChores } from "../support/world/promised-jobs.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("work that outlasts a right", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  let count = 0;
  const newUser = async () => {
    const name = `user${(count += 1)}`;
    const visitor = await world.newcomer(name);
    return { visitor, user: await getUserByName(ctx, name) };
  };
  const endings: Record<string, (user: User) => Promise<unknown>> = {
    "a new password": (user) =>
      changePassword(ctx, user, { current: password, next: "another horse 43" }),
    "a suspension": (user) => suspendUser(ctx, user),
    "the end of the account": async (user) => {
      await deleteAccount(ctx, user, { name: user.name, password });
      for (const pass of ["first", "last"] as const)
        await eraseAccount(ctx, { user: user.id, pass });
    },
  };

  /** Does `work` as a request of this user. */
  const asRequest = async <Result>(user: User, work: () => Promise<Result>) => {
    const deadline = { ...readingDeadline(), writes: true };
    return await recorded(
      undefined,
      async () => {
        holdRight(ctx, user, { holder: "device:this", isOpen: async () => true });
        return await work();
      },
      deadline,
    );
  };
  const file = exportFileWith({ tweet: fileTweets("one", "two") });
  const itemsOf = async (user: User) => await ctx.redis.keys(keys.importItems(user.id, "*"));

  /** What becomes of a file that waits while another is read; meanwhile `between` happens. */
  const waiting = async (user: User, between: () => Promise<unknown>) => {
    const other = await newUser();
    let free: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const first = previewImport(
      pausingAfter(ctx, 1, () => held),
      other.user.id,
      file,
    );
    const second = asRequest(user, () => previewImport(ctx, user.id, file));
    const outcome = second.catch((error: unknown) => error);
    await between();
    free?.();
    await first;
    return await outcome;
  };

  it.each(Object.keys(endings))(
    "a file that waits to be read is not stored after %s",
    async (ending) => {
      const { user } = await newUser();
      expect(await waiting(user, async () => await endings[ending]?.(user))).toBeInstanceOf(
        Unauthenticated,
      );
      expect(await findImport(ctx, user.id)).toBeUndefined();
      expect(await itemsOf(user)).toEqual([]);
    },
  );

  it("a file that waits to be read does not replace an import that began meanwhile", async () => {
    const { user } = await newUser();
    await previewImport(ctx, user.id, file);
    const current = await findImport(ctx, user.id);
    const outcome = await waiting(user, async () => {
      await ctx.redis.hset(keys.import(user.id), "wish", "running");
    });
    expect(outcome).toBeInstanceOf(Invalid);
    expect((await findImport(ctx, user.id))?.id).toBe(current?.id);
  });

  it("a file leaves nothing if the right ends while it is stored", async () => {
    const { user } = await newUser();
    let commands = 0;
    for (let isPaused = true; isPaused; commands += 1) {
      isPaused = false;
      const slow = pausingAfter(ctx, commands, async () => {
        isPaused = true;
        await ctx.redis.hset(keys.user(user.id), "generation", `ended ${commands}`);
      });
      const known = (await readUser(ctx, user.id)) as User;
      await asRequest(known, () => previewImport(slow, user.id, file)).catch(() => {});
      const stored = await findImport(ctx, user.id);
      expect(await itemsOf(user)).toHaveLength(stored === undefined ? 0 : 1);
      if (stored !== undefined) break;
    }
    expect(commands).toBeGreaterThan(2);
  });

  const another = async (name: string) => {
    const visitor = world.visitor();
    await visitor.logIn(name);
    return visitor;
  };
  /** Ways to end what a device has promised, from another device of the same user. */
  const farEndings: Record<string, (owner: Visitor, user: User) => Promise<unknown>> = {
    "a new password": (_, user) => endings["a new password"]?.(user) ?? Promise.resolve(),
    "a suspension": async (_, user) => {
      await suspendUser(ctx, user);
      await reinstateUser(ctx, user);
    },
    "a log-out of all other devices": (owner) => owner.post("/settings/sessions").expect(303),
    "a log-out of that device": async (owner) => {
      const { text } = await owner.get("/settings/sessions").expect(200);
      await owner.post("/settings/sessions", hiddenFields(text, "/settings/sessions")).expect(303);
    },
  };

  const day = 24 * 60 * 60 * 1000;
  const oldTweets = "/settings/old-tweets";
  /** A user with an old tweet, who lets old tweets delete themselves. */
  const forgetful = async () => {
    const { visitor, user } = await newUser();
    const then = { ...ctx, now: () => ctx.now() - 40 * day };
    const tweet = await postTweet(then, user.id, { text: "old" });
    await visitor.post(oldTweets, { days: "30" }).expect(303);
    return { visitor, user, tweet };
  };
  /** Whether the tweet is there after the daily look. */
  const isKept = async (tweet: TweetId) => {
    await withItsChores(ctx, (working) => findOldTweets(working, () => {}));
    return (await readTweets(ctx, [tweet]))[0] !== undefined;
  };

  it.each(Object.keys(farEndings))(
    "old tweets stay after %s, until their author saves the choice again",
    async (ending) => {
      const { visitor, user, tweet } = await forgetful();
      const owner = await another(user.name);
      await farEndings[ending]?.(owner, user);
      expect(await isKept(tweet)).toBe(true);
      const back = world.visitor();
      const next = ending === "a new password" ? "another horse 43" : password;
      await back.post("/login", { name: user.name, password: next }).expect(303);
      expect((await back.get(oldTweets).expect(200)).text).toContain("Save the choice again");
      await visitor.get(oldTweets).expect(303);
      await back.post(oldTweets, { days: "30" }).expect(303);
      expect((await back.get(oldTweets).expect(200)).text).not.toContain("Save the choice again");
      expect(await isKept(tweet)).toBe(false);
    },
  );

  it.each(["logs out", "logs the others out"])(
    "old tweets delete themselves when the device that chose it %s",
    async (ending) => {
      const { visitor, user, tweet } = await forgetful();
      await another(user.name);
      await visitor.post(ending === "logs out" ? "/logout" : "/settings/sessions").expect(303);
      expect(await isKept(tweet)).toBe(false);
    },
  );

  it("a choice of a former version goes on, but not while its user is suspended", async () => {
    const { user, tweet } = await forgetful();
    const stored = { ...(await findSelfDeletion(ctx, user.id)), right: undefined };
    await ctx.redis.hset(keys.user(user.id), "self_deletion", JSON.stringify(stored));
    await suspendUser(ctx, user);
    expect(await isKept(tweet)).toBe(true);
    await reinstateUser(ctx, user);
    expect(await isKept(tweet)).toBe(false);
  });

  it("the host's bound holds for tweets whose author's choice waits, by its own rule", async () => {
    const { user, tweet } = await forgetful();
    const last = await postTweet(ctx, user.id, { text: "new" });
    await suspendUser(ctx, user);
    ctx.config.tweetDays = 50;
    expect(await isKept(tweet)).toBe(true);
    ctx.config.tweetDays = 35;
    expect(await isKept(tweet)).toBe(false);
    expect(await isKept(last)).toBe(true);
    ctx.config.tweetDays = 0;
  });
});
