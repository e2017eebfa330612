import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { continueImport, steerImport } from "../../src/domain/accounts/import.ts";
import { findImport } from "../../src/domain/accounts/import-store.ts";
import { findOldTweets, findSelfDeletion } from "../../src/domain/accounts/self-deletion.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import { readTweets } from "../../src/domain/tweets/store.ts";
import type { User } from "../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { exportFileWith, fileTweets } from "../support/data/account-files.ts";
import { withItsChores } from "../support/world/promised-jobs.ts";
import { farEndings, giveNewPassword, RightsScene } from "../support/world/rights-scene.ts";

describe("work that outlasts a right", () => {
  let scene: RightsScene;
  let ctx: Ctx;
  beforeAll(async () => {
    scene = await RightsScene.create();
    ({ ctx } = scene);
  });
  afterAll(() => scene.world.close());

  const file = exportFileWith({ tweet: fileTweets("one", "two") });

  const day = 24 * 60 * 60 * 1000;
  const oldTweets = "/settings/old-tweets";
  /** A user with an old tweet, who lets old tweets delete themselves. */
  const forgetful = async () => {
    const { visitor, user } = await scene.newUser();
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

  it.each(farEndings)(
    "old tweets stay after %s, until their author saves the choice again",
    async (ending) => {
      const { visitor, user, tweet } = await forgetful();
      const back = await scene.end(ending, user);
      expect(await isKept(tweet)).toBe(true);
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
      await scene.another(user);
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

  const begun = async () => {
    const { visitor, user } = await scene.newUser();
    await visitor.import(file);
    return { visitor, user };
  };
  const importedBy = async (user: User) => {
    await continueImport(ctx, user.id);
    return (await findImport(ctx, user.id))?.progress.tweets;
  };

  it.each(farEndings)("an import is paused after %s, and goes on with a button", async (ending) => {
    const { user } = await begun();
    const back = await scene.end(ending, user);
    expect(await importedBy(user)).toBe(0);
    expect((await back.get("/settings/data").expect(200)).text).toContain("It waits for you");
    await back.steerImport("resume");
    expect((await back.get("/settings/data").expect(200)).text).not.toContain("It waits");
    expect(await importedBy(user)).toBe(2);
  });

  it("the undoing of an import stops after a new password, and can be wanted again", async () => {
    const { visitor, user } = await begun();
    expect(await importedBy(user)).toBe(2);
    await visitor.steerImport("undo");
    await giveNewPassword(ctx, user);
    await continueImport(ctx, user.id);
    const current = await findImport(ctx, user.id);
    expect(current?.progress.removed ?? 0).toBe(0);
    await steerImport(ctx, user.id, { id: current?.id ?? "", step: "undo" });
    await continueImport(ctx, user.id);
    expect((await findImport(ctx, user.id))?.progress.removed).toBe(2);
  });

  it("a suspended user's import stops, also one of a former version", async () => {
    const { user } = await begun();
    await ctx.redis.hdel(keys.import(user.id), "right");
    await ctx.redis.hset(keys.user(user.id), "suspended_at", "1");
    expect(await importedBy(user)).toBe(0);
    await ctx.redis.hdel(keys.user(user.id), "suspended_at");
    expect((await findImport(ctx, user.id))?.wish).toBe("paused");
  });

  it("an import of a former version goes on after a new password", async () => {
    const { user } = await begun();
    await ctx.redis.hdel(keys.import(user.id), "right");
    await giveNewPassword(ctx, user);
    expect(await importedBy(user)).toBe(2);
  });
});
