import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { continueImport, steerImport } from "../../../src/domain/accounts/import.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { usualJobLimits } from "../../../src/jobs/queue-worker.ts";
import { keys, ttlOf } from "../../../src/redis/keys.ts";
import { newPerson, postAndDeliver, readUserPage } from "../../support/actors/people.ts";
import {
  exportFileWith,
  fileTweets,
  importAll,
  lapseClaim,
  startImport,
  timeAt,
} from "../../support/data/account-files.ts";
import {
  endingAfter,
  pausingBefore,
  pausingBeforeEach,
  untilEnded,
} from "../../support/world/ending-process.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { picture } from "../../support/data/pictures.ts";
import { xArchive } from "../../support/data/x-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const file = exportFileWith({
  tweet: fileTweets(...Array.from({ length: 450 }, (_, nth) => `number ${nth}`)),
});

describe("jobs of one import", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const begun = async () => {
    const user = await newPerson(ctx);
    await startImport(ctx, user, file);
    return user;
  };
  const progressOf = async (user: UserId) => (await findImport(ctx, user))?.progress;

  it("jobs that run at once import each part once", async () => {
    const user = await begun();
    let claims = 0;
    const counting = pausingBeforeEach(ctx, ["takeIds"], () => void (claims += 1));
    await Promise.all([1, 2, 3].map(() => continueImport(counting, user)));
    expect(claims).toBe(5);
    expect(await progressOf(user)).toMatchObject({ parts: 5, tweets: 450, done: true });
    expect(await countTweets(ctx, user)).toBe(450);
  });

  it("an import whose process died goes on by itself, after the claim has lapsed", async () => {
    const user = await begun();
    await untilEnded(continueImport(endingAfter(ctx, 40), user));
    const before = await progressOf(user);
    const delays: unknown[] = [];
    const workOnAccount = async (_: unknown, delay?: number) => void delays.push(delay);
    const noting = { ...ctx, jobs: { ...ctx.jobs, workOnAccount } };
    await continueImport(noting, user);
    expect(await progressOf(user)).toEqual(before);
    expect(delays).toEqual([ttlOf("importClaim") * 1000]);
    expect(await ctx.redis.ttl(keys.importClaim(user))).toBeGreaterThan(0);
    await lapseClaim(ctx, user);
    await continueImport(noting, user);
    expect(await progressOf(user)).toMatchObject({ tweets: 450, done: true });
    expect(await ctx.redis.exists(keys.importClaim(user))).toBe(0);
  });

  it("a job whose claim has lapsed ends, and leaves the claim of the next one", async () => {
    const user = await begun();
    const late = pausingBefore(ctx, ["takeIds"], async () => {
      await ctx.redis.set(keys.importClaim(user), "the next job");
    });
    await expect(continueImport(late, user)).rejects.toThrow("claim");
    expect(await progressOf(user)).toMatchObject({ parts: 0 });
    expect(await ctx.redis.get(keys.importClaim(user))).toBe("the next job");
  });

  it("a claim outlives a job that is silent", () => {
    expect(ttlOf("importClaim") * 1000).toBeGreaterThan(usualJobLimits.silence);
  });

  it("a job is alive at each picture", async () => {
    const user = await newPerson(ctx);
    const names = ["A.jpg", "B.jpg", "C.jpg"];
    const jpeg = await picture("jpeg");
    const media = names.map((name) => ({ name, short: "https://t.co/pic" }));
    const tweet = { id: "82", text: "hello https://t.co/pic", at: timeAt(1), media };
    const pictures = Object.fromEntries(names.map((name) => [`82-${name}`, jpeg]));
    await startImport(ctx, user, await xArchive([tweet], { pictures }));
    let signs = 0;
    await continueImport(ctx, user, () => void (signs += 1));
    expect(await progressOf(user)).toMatchObject({ pictures: 3, done: true });
    // The tweet, its pictures, the part, the followers.
    expect(signs).toBe(6);
  });

  it("steps that a user repeats promise one late look", async () => {
    const user = await begun();
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    const lateJobs = async () => {
      const counts = await ctx.jobs.counts();
      return counts.find(({ queue, state }) => queue === "accounts" && state === "delayed")?.count;
    };
    const before = await lateJobs();
    for (const step of ["pause", "resume", "pause", "resume"] as const)
      await steerImport(ctx, user, { id, step });
    expect(await lateJobs()).toBe(before);
  });

  it("an import that is undone in the middle of a part leaves no tweet", async () => {
    const user = await newPerson(ctx);
    await postAndDeliver(ctx, user, "stays");
    await startImport(ctx, user, file);
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    let tweets = 0;
    const undone = pausingBeforeEach(ctx, ["createHash"], async () => {
      tweets += 1;
      if (tweets !== 130) return;
      await steerImport(ctx, user, { id, step: "undo" });
      for (let count = 0; count < 3; count += 1) await continueImport(ctx, user);
    });
    await continueImport(undone, user);
    expect(await importAll(ctx, user)).toMatchObject({ ended: true });
    expect((await readUserPage(ctx, user)).items.map(({ text }) => text)).toEqual(["stays"]);
    expect(await countTweets(ctx, user)).toBe(1);
    expect(await ctx.redis.hlen(keys.imported(user))).toBe(0);
  });

  it("what a look for imported tweets has missed is found by the next", async () => {
    const user = await begun();
    await importAll(ctx, user);
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    await steerImport(ctx, user, { id, step: "undo" });
    // As after a failover: the cursor means other places there.
    let looks = 0;
    const hscan = async (...args: Parameters<typeof ctx.redis.hscan>) => {
      const [next, pairs] = await ctx.redis.hscan(...args);
      looks += 1;
      return looks === 1 ? ["0", pairs.slice(0, 20)] : [next, pairs];
    };
    const redis = new Proxy(ctx.redis, {
      get: (target, name) => (name === "hscan" ? hscan : (Reflect.get(target, name) as unknown)),
    });
    await continueImport({ ...ctx, redis }, user);
    expect(await importAll(ctx, user)).toMatchObject({ removed: 450 });
    expect(await countTweets(ctx, user)).toBe(0);
  });
});
