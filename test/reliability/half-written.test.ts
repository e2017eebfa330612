import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { Conflict, Unavailable } from "../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { findTombstone, findTweet, getTweet } from "../../src/domain/tweets/store.ts";
import { logIn } from "../../src/domain/users/log-in.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { findMentioned, findUser, findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { type PromisedJobs, recordJobs } from "../support/world/promised-jobs.ts";
import { Ended, endingAfter } from "../support/world/ending-process.ts";
import { readGlobalPage, newPerson, readHomeIds, readUserPage } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { emptyRedis } from "../support/world/test-redis.ts";
import { findKeys } from "../support/world/redis-nodes.ts";

let world: World;
let ctx: Ctx;
let promised: PromisedJobs["promised"];
beforeAll(async () => {
  world = await createWorld({}, { workers: false });
  ({ ctx, promised } = recordJobs(world.ctx));
});
beforeEach(async () => {
  promised.length = 0;
  await emptyRedis(ctx.redis);
});
afterAll(() => world.close());

/** Whether the process ended before the work was done. */
async function endsIn(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Ended) return true;
      throw error;
    },
  );
}

/** A process that ends before it sends one of these commands. */
function endingAt(...commands: string[]): Ctx {
  const redis = new Proxy(ctx.redis, {
    get: (target, name) =>
      commands.includes(String(name))
        ? () => Promise.reject(new Ended(String(name)))
        : (Reflect.get(target, name, target) as unknown),
  });
  return { ...ctx, redis };
}

const keepPromises = async () => {
  for (const keep of promised.splice(0)) await keep();
};
/** As if so much time had passed that whatever lapses has. */
async function lapse(): Promise<void> {
  for (const key of await findKeys(ctx.redis, "*"))
    if ((await ctx.redis.ttl(key)) > 0 && /^(tweet:\d+|user:\d+|username:\w+)$/.test(key))
      await ctx.redis.del(key);
}

/** R9. */
describe("an unanswered post", () => {
  it("an unanswered post shows nothing unless its delivery was promised, and expires", async () => {
    const author = await newPerson(ctx);
    const refusing: Ctx = {
      ...ctx,
      jobs: {
        ...ctx.jobs,
        deliverTweet: () => Promise.reject(new Unavailable("the job queue")),
      },
    };
    const input = { text: "refused", nonce: "a form" };
    await expect(postTweet(refusing, author, input)).rejects.toThrow(Unavailable);
    const id = (await ctx.redis.get(keys.tweetIds)) as TweetId;
    await world.visitor().get(`/tweets/${id}`).expect(404);
    expect(await findTombstone(ctx, id)).toBeUndefined();
    expect(await ctx.redis.ttl(keys.tweet(id))).toBeGreaterThan(0);
    expect(await ctx.redis.ttl(keys.tweet(id))).toBeLessThanOrEqual(60);
    expect((await readGlobalPage(ctx)).items).toEqual([]);
    // The same form goes through once the queue is back.
    expect(await postTweet(ctx, author, input)).toBe(id);
    expect(await ctx.redis.ttl(keys.tweet(id))).toBe(-1);
    expect(await readHomeIds(ctx, author)).toEqual([id]);
  });

  it("an unanswered post is whole or absent, wherever its process dies", async () => {
    for (let commands = 0, isEnded = true; isEnded; commands += 1) {
      await emptyRedis(ctx.redis);
      const author = await newPerson(ctx);
      promised.length = 0;
      const input = { text: "fragile", nonce: "a form" };
      isEnded = await endsIn(postTweet(endingAfter(ctx, commands), author, input));
      await keepPromises();
      await lapse();
      const id = ((await ctx.redis.get(keys.tweetIds)) ?? "1") as TweetId;
      const tweet = await findTweet(ctx, id);
      const listed = tweet === undefined ? [] : [id];
      expect((await readUserPage(ctx, author)).items.map((one) => one.id)).toEqual(listed);
      expect((await readGlobalPage(ctx)).items.map((one) => one.id)).toEqual(listed);
      expect(await ctx.redis.exists(keys.tweet(id))).toBe(listed.length);
      expect(isEnded || tweet?.text === "fragile").toBe(true);
    }
  });

  it("an unanswered post stands for its form once another submit succeeded", async () => {
    const author = await newPerson(ctx);
    for (let commands = 0, isEnded = true; isEnded; commands += 1) {
      const input = { text: `again ${commands}`, nonce: "a form" };
      isEnded = await endsIn(postTweet(endingAfter(ctx, commands), author, input));
      const id = await postTweet(ctx, author, input);
      await keepPromises();
      expect(await postTweet(ctx, author, input)).toBe(id);
      const { items } = await readUserPage(ctx, author);
      expect(items.filter(({ text }) => text === input.text).map((one) => one.id)).toEqual([id]);
    }
  });

  it("an expired draft is not committed, and its form makes another tweet", async () => {
    const author = await newPerson(ctx);
    const input = { text: "slow", nonce: "a form" };
    const slow: Ctx = { ...ctx, jobs: { ...ctx.jobs, deliverTweet: lapse } };
    await expect(postTweet(slow, author, input)).rejects.toThrow(Unavailable);
    const id = await postTweet(ctx, author, input);
    expect(await getTweet(ctx, id)).toMatchObject({ text: "slow" });
  });
});

/** R23, and what R9 says of sign-ups. */
describe("an unanswered sign-up", () => {
  const password = "correct horse 42";
  const person = async (name: string) => ({
    name,
    fullname: "Fragile",
    pass: await hashPassword(password, 4),
  });

  it("an unanswered sign-up allows no log-in before its commit, and stays for good after a log-in", async () => {
    for (let commands = 0, isEnded = true; isEnded; commands += 1) {
      await emptyRedis(ctx.redis);
      promised.length = 0;
      isEnded = await endsIn(createUser(endingAfter(ctx, commands), await person("fragile")));
      const admission = await logIn(ctx, { name: "fragile", password }).catch(() => undefined);
      const user = admission?.user;
      await lapse();
      await keepPromises();
      const found = await findUserByName(ctx, "fragile");
      expect(found?.id).toBe(user);
      expect((await findMentioned(ctx, ["fragile"])).map(({ id }) => id)).toEqual(
        user ? [user] : [],
      );
      const known = user === undefined ? [] : [user];
      expect(await findKeys(ctx.redis, "user:?")).toEqual(known.map(keys.user));
      expect(await ctx.redis.zrange(keys.newestUsers, 0, "-1")).toEqual(known);
      expect(isEnded || user !== undefined).toBe(true);
    }
  });

  it("an unanswered sign-up is finished by its job once its name is committed", async () => {
    const ending = endingAt("persist");
    expect(await endsIn(createUser(ending, await person("fragile")))).toBe(true);
    await keepPromises();
    await lapse();
    const user = await findUserByName(ctx, "fragile");
    expect(await ctx.redis.ttl(keys.user(user?.id as UserId))).toBe(-1);
  });

  it("an unanswered sign-up succeeds when its form is submitted again, at once or after its claim expires", async () => {
    const refusing: Ctx = {
      ...ctx,
      jobs: { ...ctx.jobs, chore: () => Promise.reject(new Unavailable("the job queue")) },
    };
    await expect(createUser(refusing, await person("fragile"))).rejects.toThrow(Unavailable);
    const id = await createUser(ctx, await person("fragile"));
    expect((await findUser(ctx, id))?.name).toBe("fragile");

    const ending = endingAt("claimCommit", "releaseClaim");
    expect(await endsIn(createUser(ending, await person("other")))).toBe(true);
    expect(await ctx.redis.get(keys.username("other"))).toMatch(/^claimed:/);
    await expect(createUser(ctx, await person("other"))).rejects.toThrow(Conflict);
    expect(await ctx.redis.ttl(keys.username("other"))).toBeLessThanOrEqual(15);
    await lapse();
    expect(await createUser(ctx, await person("other"))).toBeDefined();
  });
});
