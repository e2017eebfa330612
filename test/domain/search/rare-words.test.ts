import { afterAll, beforeAll, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { Candidates } from "../../../src/domain/search/candidates.ts";
import { indexTweet } from "../../../src/domain/search/index-tweet.ts";
import { sealStep } from "../../../src/domain/search/seal-tweets.ts";
import { readSegments } from "../../../src/domain/search/segments.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts } from "./found-texts.ts";

const segments = 40;
const inSegment = 8;
const total = segments * inSegment;

/** A process that remembers nothing yet: how many commands it sends to read fields, and in how many round trips. */
function newProcess(ctx: Ctx) {
  const sent = { commands: 0, roundTrips: 0 };
  let waiting = 0;
  const redis = new Proxy<RedisClient>(ctx.redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "hmgetBuffer") return value;
      return async (...args: unknown[]): Promise<unknown> => {
        sent.commands += 1;
        if (waiting === 0) sent.roundTrips += 1;
        waiting += 1;
        try {
          return await (value as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        } finally {
          waiting -= 1;
        }
      };
    },
  });
  return { ctx: { ...ctx, redis }, sent };
}

let world: World;
let author: UserId;
const write = async (nth: number): Promise<TweetId> => {
  const id = tweetId(nth + 1);
  const createdAt = world.ctx.now() * 1000 - 1e9 + nth;
  const text = `everywhere number${nth}`;
  await createTweet(world.ctx, { id, author, text, createdAt });
  return id;
};

beforeAll(async () => {
  world = await createWorld({}, { workers: false });
  const { ctx } = world;
  author = await newPerson(ctx);
  for (let nth = 0; nth < total; nth += 1) await write(nth);
  await ctx.redis.set(keys.tweetIds, total);
  while (await sealStep(ctx, { sizes: [inSegment], age: 0 }));
  expect((await readSegments(ctx)).segments).toHaveLength(segments);
});
afterAll(() => world.close());

it("a word that no open tweet has is looked for in 32 segments at once", async () => {
  const { ctx, sent } = newProcess(world.ctx);
  expect(await findTexts(ctx, "unheard")).toEqual([]);
  expect(sent).toEqual({ commands: segments, roundTrips: 2 });
});

it("a rare word is found in the first and the last segment, also beside a common one", async () => {
  for (const nth of [0, 11, 12, total - 1])
    for (const typed of [`number${nth}`, `everywhere number${nth}`])
      expect(await findTexts(newProcess(world.ctx).ctx, typed)).toEqual([
        `everywhere number${nth}`,
      ]);
});

it("of a word that open tweets have, no more segments are read than a page needs", async () => {
  const id = await write(total);
  await indexTweet(world.ctx, {
    id,
    author,
    text: "everywhere",
    createdAt: world.ctx.now() * 1000,
  });
  const { ctx, sent } = newProcess(world.ctx);
  const candidates = new Candidates(ctx, { terms: ["everywhere"], author: undefined });
  const entries = await candidates.read({ before: undefined, limit: 4 });
  expect(entries.map((entry) => entry.id)).toEqual(
    [total + 1, total, total - 1, total - 2].map(String),
  );
  // The word and a block.
  expect(sent.commands).toBe(2);
});
