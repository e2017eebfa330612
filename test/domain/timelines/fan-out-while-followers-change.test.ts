import { assert as holds, asyncProperty, array, boolean, integer, record } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, type UserId, userId, stampAt } from "../../../src/domain/ids.ts";
import { fanOut } from "../../../src/domain/timelines/fan-out.ts";
import { ensureHome } from "../../../src/domain/timelines/home-store.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const [author, answered] = [userId(1), userId(2)];
const people = Array.from({ length: 40 }, (_, nth) => userId(nth + 2));

/** When each of the people followed, if they did: several at one stamp; and who leaves meanwhile. */
const story = record({
  follows: array(integer({ min: 0, max: 12 }), {
    minLength: people.length,
    maxLength: people.length,
  }),
  followsBoth: array(boolean(), { minLength: people.length, maxLength: people.length }),
  leavers: array(integer({ min: 0, max: people.length - 1 }), { maxLength: 12 }),
  page: integer({ min: 1, max: 6 }),
  isReply: boolean(),
  start: integer({ min: 0, max: 6 }),
});

describe("a fan-out", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await Promise.all(people.map((user) => ensureHome(world.ctx, user, 0)));
  });
  afterAll(() => world.close());

  it("a fan-out reaches all who stay and no stranger while others unfollow", async () => {
    const { redis } = world.ctx;
    let id = 100;
    const property = asyncProperty(story, async ({ follows, followsBoth, leavers, ...how }) => {
      const ctx = { ...world.ctx, config: { ...world.ctx.config, fanoutPage: how.page } };
      await redis.del(keys.followers(author));
      await redis.del(keys.followers(answered));
      const followers = people.filter((_, nth) => follows[nth] !== 0);
      const since = (user: UserId) => follows[people.indexOf(user)] ?? 0;
      await exec(
        redis,
        [
          ...followers.map((user) => ["zadd", keys.followers(author), since(user), user] as const),
          ...people
            .filter((_, nth) => followsBoth[nth] === true)
            .map((user) => ["zadd", keys.followers(answered), 1, user] as const),
        ].map((command) => [...command]),
      );
      const tweet = tweetId((id += 1));
      const stamp = stampAt(Date.now(), tweet);
      const placed = { tweet, author, stamp, ...(how.isReply ? { inReplyToUser: answered } : {}) };
      const leave = async () => {
        for (const nth of leavers) await redis.zrem(keys.followers(author), people[nth] ?? "");
      };
      await Promise.all([fanOut(ctx, placed, { done: how.start, save: async () => {} }), leave()]);
      const left = new Set(leavers.map((nth) => people[nth]));
      for (const user of people) {
        const has = (await redis.zscore(keys.homeTimeline(user), tweet)) !== null;
        const isBoth = user === answered || followsBoth[people.indexOf(user)] === true;
        const concerns = since(user) > how.start && (!how.isReply || isBoth);
        const wanted = concerns && left.has(user) ? has : concerns;
        expect([user, has]).toEqual([user, wanted]);
      }
    });
    await holds(property, runs(150));
  });
});
