import { afterEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { timeAt, exportFileWith, importAll, startImport } from "../support/data/account-files.ts";
import { findKeys } from "../support/world/redis-nodes.ts";
import { countKeys } from "../support/world/test-redis.ts";
import { newPerson } from "../support/actors/people.ts";
import { connectToTestRedis, createWorld, type World } from "../support/world/world.ts";

/** Texts whose pairs of characters are unique. */
function* rare(count: number): Generator<{ text: string; created_at: string }> {
  const first = 0x4e00;
  let seed = 7;
  for (let nth = 0; nth < count; nth += 1) {
    const codes = Array.from({ length: 280 }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return first + ((seed >>> 8) % 20_000);
    });
    yield { text: String.fromCodePoint(...codes), created_at: timeAt(nth) };
  }
}

/** Bytes of a key that search made, on average; other tests share this Redis, so its own figure says nothing. */
async function bytesOfTerm({ redis }: Ctx): Promise<number> {
  const some = (await findKeys(redis, "search:*")).slice(0, 2000);
  const sizes = await Promise.all(some.map((key) => redis.memory("USAGE", key)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) / sizes.length;
}

describe("the budget of an import (H2)", () => {
  let world: World;
  const clients: RedisClient[] = [];
  afterEach(async () => {
    for (const client of clients) client.disconnect();
    await world.close();
  });

  /** A worker's connection, of its own. */
  function patient(ctx: Ctx): Ctx {
    const redis = connectToTestRedis("worker", ctx.config);
    clients.push(redis);
    return { ...ctx, redis };
  }

  it("imported tweets are indexed within a daily budget: keys and bytes are bounded, and nothing is lost", async () => {
    const limits = { "imports:terms": 200_000 };
    world = await createWorld({ limitFactor: 1, limits }, { workers: false });
    const ctx = patient(world.ctx);
    const user = await newPerson(ctx);
    const tweets = [...rare(300)].toReversed();
    await startImport(ctx, user, exportFileWith({ tweet: tweets }));
    const progress = await importAll(ctx, user);
    // 300 tweets of 279 pairs each, of 20,000 characters, would be 103,700 keys. The 50 that use up the day
    // are listed whole.
    expect(progress).toMatchObject({ tweets: 300, unlisted: 250, done: true });
    expect(await countKeys(ctx.redis)).toBeLessThan(25_500);
    expect(await bytesOfTerm(ctx)).toBeLessThan(250);

    // Tomorrow, as a process sees it that has refused nothing yet.
    await ctx.redis.del(`rate:imports:terms:${user}`);
    const tomorrow = patient(ctx);
    await startImport(tomorrow, user, exportFileWith({ tweet: tweets }));
    const known = { tweets: 0, known: 300, unlisted: 150, done: true };
    expect(await importAll(tomorrow, user)).toMatchObject(known);
    expect(await countKeys(ctx.redis)).toBeGreaterThan(50_000);
    expect(await countKeys(ctx.redis)).toBeLessThan(61_500);
  }, 60_000);

  it("an import brings a number of tweets a day, and says what was left out", async () => {
    const limits = { "imports:account": 0.03 };
    world = await createWorld({ limits }, { workers: false });
    const user = await newPerson(world.ctx);
    const tweets = Array.from({ length: 300 }, (_, nth) => ({
      text: `number ${nth}`,
      created_at: timeAt(nth),
    })).toReversed();
    await startImport(world.ctx, user, exportFileWith({ tweet: tweets }));
    const progress = await importAll(world.ctx, user);
    // The part that uses up the day is brought whole.
    expect(progress).toMatchObject({ tweets: 200, skipped: { budget: 100 }, done: true });
  });
});
