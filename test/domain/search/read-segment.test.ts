import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import { Unavailable } from "../../../src/domain/errors.ts";
import { tweetId } from "../../../src/domain/ids.ts";
import { recorded } from "../../../src/domain/scope.ts";
import { Candidates } from "../../../src/domain/search/candidates.ts";
import { bucketOf } from "../../../src/domain/search/build-segment.ts";
import { rebuild, sealStep } from "../../../src/domain/search/seal-tweets.ts";
import { readSegments } from "../../../src/domain/search/segments.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { compactSettings, primariesOf } from "../../../src/redis/servers.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts } from "./found-texts.ts";

/** Each tweet has the first of them, some more: the last is the rarest, and yet in more than 64 tweets. */
const words = "alfa bravo charlie delta echo foxtrot golf hotel".split(" ");
const count = 700;
const texts = Array.from({ length: count }, (_, nth) =>
  [`number${nth}`, ...words.slice(0, 1 + (nth % words.length))].join(" "),
);

const withAll = (some: string[]) =>
  texts.filter((text) => some.every((one) => text.split(" ").includes(one))).toReversed();
const longOf = (asked: string[]) => asked.filter((one) => one.includes(":long "));

/** Bytes of a value up to which Redis keeps a hash compact. */
async function setCompact({ redis }: Ctx, bytes: number): Promise<void> {
  for (const node of primariesOf(redis)) await node.config("SET", "hash-max-listpack-value", bytes);
}

/** The context of a process that remembers nothing yet, the commands that it sends, and the fields that it asks for. */
function newProcess(
  ctx: Ctx,
  heard: (name: string) => void = () => {},
): { ctx: Ctx; asked: string[]; commands: string[] } {
  const asked: string[] = [];
  const commands: string[] = [];
  const redis = new Proxy<RedisClient>(ctx.redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (name === "hmgetBuffer") {
          const [key, ...fields] = args.map(String);
          asked.push(...fields.map((field) => `${key} ${field}`));
          commands.push([key, ...fields].join(" "));
        }
        const reply = (value as (...args: unknown[]) => unknown).apply(target, args);
        heard(String(name));
        return reply;
      };
    },
  });
  return { ctx: { ...ctx, redis }, asked, commands };
}

describe("the reading of segments", () => {
  let world: World;
  /** Name of the author of all tweets. */
  let authorName: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const { ctx } = world;
    await setCompact(ctx, 64);
    const author = await newPerson(ctx);
    authorName = (await findUser(ctx, author))?.name ?? "";
    const now = ctx.now() * 1000 - 1e9;
    for (const [nth, text] of texts.entries()) {
      const id = tweetId(nth + 1);
      await createTweet(ctx, { id, author, text, createdAt: now + nth });
      await ctx.redis.zadd(keys.userTimeline(author), now + nth, id);
    }
    await ctx.redis.set(keys.tweetIds, count);
    while (await sealStep(ctx, { sizes: [count], age: 0 }));
  });
  afterAll(async () => {
    await setCompact(world.ctx, compactSettings["hash-max-listpack-value"]);
    await world.close();
  });

  it("of many common words, the lists of the rarest five are read, and all count", async () => {
    const { ctx, asked } = newProcess(world.ctx);
    expect(await findTexts(ctx, words.join(" "))).toEqual(withAll(words));
    const read = longOf(asked).map((one) => one.split(" ")[1]);
    expect(read).toHaveLength(5);
    expect(new Set(read)).toEqual(new Set(words.slice(-5)));
  });

  it("a word that no tweet has keeps all lists from being read", async () => {
    const { ctx, asked } = newProcess(world.ctx);
    expect(await findTexts(ctx, `${words.join(" ")} nowhere`)).toEqual([]);
    expect(longOf(asked)).toEqual([]);
    expect(await findTexts(ctx, "number7 number8 alfa")).toEqual([]);
    expect(longOf(asked)).toEqual([]);
    expect(await findTexts(ctx, "number7 alfa")).toEqual(withAll(["number7"]));
  });

  it("of an author's tweets, only the blocks that have the word are read", async () => {
    const { ctx, asked } = newProcess(world.ctx);
    const orderRead = () =>
      asked.filter((one) => one.includes(":order ")).map((one) => one.split(" ")[1]);
    expect(await findTexts(ctx, `from:${authorName} number5`)).toEqual(withAll(["number5"]));
    expect(orderRead()).toEqual(["first", "0"]);
    expect(await findTexts(ctx, `from:${authorName} number300`)).toEqual(withAll(["number300"]));
    expect(orderRead()).toEqual(["first", "0", "1"]);
    expect(await findTexts(ctx, `from:${authorName} hotel`)).toEqual(withAll(["hotel"]));
    expect(new Set(orderRead())).toEqual(new Set(["first", "0", "1", "2"]));
  });

  it("the fields of one hash that are wanted at a time are one command", async () => {
    const { ctx, commands } = newProcess(world.ctx);
    expect(await findTexts(ctx, `from:${authorName} hotel golf`)).toEqual(withAll(["hotel"]));
    const sent = commands.map((one) => one.split(" ").slice(1));
    expect(sent).toContainEqual(["hotel", "golf"]);
    expect(sent.filter((fields) => fields.includes("2"))).toEqual([["2", "1"]]);
  });

  it("searches, at the same time and later, ask for each field once", async () => {
    const { ctx, asked } = newProcess(world.ctx);
    const found = await Promise.all([1, 2, 3].map(() => findTexts(ctx, "hotel alfa")));
    expect(found).toEqual([1, 2, 3].map(() => withAll(["hotel"])));
    await findTexts(ctx, "hotel alfa");
    expect(asked).toEqual([...new Set(asked)]);
  });

  it("lists stand among the short ones as long as Redis keeps these compact", async () => {
    const { ctx } = world;
    const lengths = [];
    for (const bytes of [compactSettings["hash-max-listpack-value"], 64]) {
      await setCompact(ctx, bytes);
      await rebuild(ctx, (await readSegments(ctx)).segments);
      const [segment] = (await readSegments(ctx)).segments;
      const hash = keys.sealedTerms(
        segment?.token ?? "",
        bucketOf(segment ?? { buckets: 1 }, "hotel"),
      );
      lengths.push(await ctx.redis.hstrlen(hash, "hotel"));
      expect(await ctx.redis.object("ENCODING", hash)).toBe("listpack");
      expect(await findTexts(newProcess(ctx).ctx, "hotel alfa")).toEqual(withAll(["hotel"]));
    }
    expect(lengths).toEqual([withAll(["hotel"]).length, 0]);
  });

  it("a search ends once its deadline has passed, although all the rest is in memory", async () => {
    const deadline = { passed: false, writes: true, pauses: 0, pauseEnded: 0 };
    const heard = (name: string) => {
      // The list of segments is asked for last.
      deadline.passed = isLate && name === "hget";
    };
    let isLate = false;
    const ctx = contextWithDeadlines(newProcess(world.ctx, heard).ctx);
    const read = async () =>
      await recorded(
        undefined,
        async () => {
          const candidates = new Candidates(ctx, { terms: ["alfa"], author: undefined });
          return await candidates.read({ before: undefined, limit: 3 });
        },
        deadline,
      ).catch((error: unknown) => error);
    expect(await read()).toHaveLength(3);
    isLate = true;
    expect(await read()).toBeInstanceOf(Unavailable);
  });
});
