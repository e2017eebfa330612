import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type UserId, userId, tweetId, stampAt } from "../../../src/domain/ids.ts";
import { deliverTo } from "../../../src/domain/timelines/delivery.ts";
import { fanOut } from "../../../src/domain/timelines/fan-out.ts";
import { ensureHome } from "../../../src/domain/timelines/home-store.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { storedHome } from "../../support/actors/people.ts";
import { onCluster } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const saveNothing = async () => {};
const refuseLate = async () => {
  await setTimeout(50);
  throw new Error("refused");
};

describe("a fan-out", () => {
  const followers = Array.from({ length: 2500 }, (_, index) => userId(index + 2));
  const author = userId(1);
  const stamp = stampAt(1_700_000_000_000, "5");
  const placed = { tweet: tweetId(5), author, stamp };
  let world: World;

  beforeAll(async () => {
    world = await createWorld({ fanoutPage: 100 }, { workers: false });
    await Promise.all([author, ...followers].map((user) => ensureHome(world.ctx, user, 0)));
    const flat = followers.flatMap((follower, index) => [index + 1, follower]);
    await world.ctx.redis.zadd(keys.followers(author), ...flat);
  });
  afterAll(() => world.close());

  /** Which of all people have the tweet in their home timeline. */
  async function reached(): Promise<UserId[]> {
    const everybody = [author, ...followers];
    const scores = await exec(
      world.ctx.redis,
      everybody.map((user) => ["zscore", keys.homeTimeline(user), placed.tweet]),
    );
    return everybody.filter((_, index) => scores[index] === String(stamp));
  }

  async function recall(): Promise<void> {
    await exec(
      world.ctx.redis,
      [author, ...followers].map((user) => ["zrem", keys.homeTimeline(user), placed.tweet]),
    );
  }

  it("a fan-out reaches all followers, and saves its progress every ten pages", async () => {
    const saved: number[] = [];
    const save = async (done: number) => void saved.push(done);
    expect(await fanOut(world.ctx, placed, { done: 0, save })).toBeUndefined();
    expect(await reached()).toEqual(followers);
    expect(saved).toHaveLength(2);
    for (const [nth, done] of saved.entries())
      expect(done).toBeGreaterThanOrEqual(1000 * (nth + 1));
  });

  // On a cluster there are no such steps.
  it.skipIf(onCluster)(
    "a fan-out saves nothing beyond a failed step while the next one continued",
    async () => {
      await recall();
      let calls = 0;
      // Two calls find the ends of the first steps: the twelfth serves the tenth page.
      const redis = new Proxy(world.ctx.redis, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "fanOut" && ++calls === 12) return refuseLate;
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      const saved: number[] = [];
      const save = async (done: number) => void saved.push(done);
      const delivery = fanOut({ ...world.ctx, redis }, placed, { done: 0, save });
      await expect(delivery).rejects.toThrow("refused");
      expect(saved).toEqual([]);
    },
  );

  it("a fan-out continues from its progress", async () => {
    await recall();
    await fanOut(world.ctx, placed, { done: 2000, save: saveNothing });
    expect(await reached()).toEqual(followers.slice(2000));
  });

  it("a fan-out stops after a number of pages, and returns where to continue", async () => {
    await recall();
    const rest = await fanOut(world.ctx, placed, { done: 0, save: saveNothing }, 3);
    expect(rest).toBe(300);
    expect(await reached()).toEqual(followers.slice(0, 300));
    const end = await fanOut(world.ctx, placed, { done: 300, save: saveNothing }, 22);
    expect(end).toBeUndefined();
    expect(await reached()).toEqual(followers);
  });

  it("a fan-out saves only what was delivered", async () => {
    await recall();
    const saved: number[] = [];
    const save = async (done: number) => {
      const served = new Set(await reached());
      expect(followers.slice(0, done).filter((follower) => !served.has(follower))).toEqual([]);
      saved.push(done);
      if (saved.length === 2) throw new Error("crash");
    };
    await expect(fanOut(world.ctx, placed, { done: 0, save })).rejects.toThrow("crash");
    expect(saved).toHaveLength(2);
  });

  it("a fan-out skips timelines that do not exist", async () => {
    const gone = userId(9999);
    await deliverTo(world.ctx, placed, [gone]);
    expect(await storedHome(world.ctx, gone)).toEqual([]);
  });

  it("a fan-out to no followers does nothing", async () => {
    await expect(deliverTo(world.ctx, placed, [])).resolves.toBeUndefined();
  });
});
