import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { forEachOf } from "../../../src/domain/concurrency-limit.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { findTweets, parseQuery } from "../../../src/domain/search/find-tweets.ts";
import { sealStep } from "../../../src/domain/search/seal-tweets.ts";
import { endOf, readSegments } from "../../../src/domain/search/segments.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import { newPerson, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts } from "./found-texts.ts";

/** Pages are kept by their address: a test asks from another port each time. */
const baseUrl = "http://site.test";

/** The same context, and the keys that are read through its memory. */
function noting(ctx: Ctx): { ctx: Ctx; loaded: Set<string> } {
  const loaded = new Set<string>();
  const memory: Memory = {
    ...ctx.memory,
    read(redis, reading, subjects, recording) {
      for (const one of subjects) loaded.add(reading.key(one));
      return ctx.memory.read(redis, reading, subjects, recording);
    },
  };
  return { ctx: { ...ctx, memory }, loaded };
}

describe("the search for phrases", () => {
  let world: World;
  let author: UserId;
  beforeAll(async () => {
    world = await createWorld({ editMinutes: 1e8, baseUrl }, { workers: false });
    author = await newPerson(world.ctx);
  });
  afterAll(() => world.close());

  /** Seals all tweets, in one segment. */
  async function seal(): Promise<void> {
    const { ctx } = world;
    const first = endOf((await readSegments(ctx)).segments);
    const last = Number(await ctx.redis.get(keys.tweetIds));
    while (await sealStep(ctx, { sizes: [last + 1 - first], age: 0 }));
  }

  /** Writes these tweets and seals them. */
  async function writeSealed(texts: string[]): Promise<TweetId[]> {
    const { ctx } = world;
    const last = await ctx.redis.incrby(keys.tweetIds, texts.length);
    const now = ctx.now() * 1000 - 1e9;
    const tweets = texts.map((text, nth) => {
      const id = tweetId(last - texts.length + nth + 1);
      return { id, author, text, createdAt: now + nth };
    });
    await forEachOf(tweets, 500, (tweet) => createTweet(ctx, tweet));
    await seal();
    return tweets.map(({ id }) => id);
  }

  it("of the tweets with all words of a phrase, only those that have it in order are loaded", async () => {
    const texts = Array.from({ length: 500 }, (_, nth) =>
      nth % 10 === 0 ? `red bird ${nth}` : `bird red ${nth}`,
    );
    const ids = await writeSealed(texts);
    const { ctx, loaded } = noting(world.ctx);
    const held = texts.filter((text) => text.startsWith("red bird"));
    expect(await findTexts(ctx, '"red bird"')).toEqual(held.toReversed());
    const wanted = ids.filter((_, nth) => held.includes(texts[nth] ?? "")).map(keys.tweet);
    expect(ids.map(keys.tweet).filter((key) => loaded.has(key))).toEqual(wanted);
    expect(await findTexts(ctx, '"red bird" 490')).toEqual(["red bird 490"]);
    expect(await findTexts(ctx, '"red bird" 491')).toEqual([]);
  });

  it("a kept page of a phrase shows what was edited, in segments and in open lists", async () => {
    const visitor = world.visitor();
    const name = (await findUser(world.ctx, author))?.name;
    const textsAt = async (typed: string) =>
      (await visitor.see(`/search?q=${encodeURIComponent(typed)}`)).map(({ text }) => text);
    const see = async () => {
      const texts = await textsAt('"grey heron"');
      expect(await textsAt(`"grey heron" from:${name}`)).toEqual(texts);
      return texts;
    };
    const edit = async (id: TweetId, text: string) => {
      await editTweet(world.ctx, author, id, { text, pictures: [], sensitive: false });
    };
    const sealed = await postAndDeliver(world.ctx, author, "heron grey");
    await seal();
    expect(await see()).toEqual([]);
    await edit(sealed, "grey heron at last");
    expect(await see()).toEqual(["grey heron at last"]);
    await edit(sealed, "grey old heron");
    expect(await see()).toEqual([]);
    await edit(sealed, "grey heron again");
    expect(await see()).toEqual(["grey heron again"]);
    const open = await postAndDeliver(world.ctx, author, "heron so grey");
    expect(await see()).toEqual(["grey heron again"]);
    await edit(open, "so grey heron");
    expect(await see()).toEqual(["so grey heron", "grey heron again"]);
  });

  it("a page ends short after thousands of texts, and its link goes on", async () => {
    const others = Array.from({ length: 3300 }, (_, nth) => `owl white ${nth}`);
    await writeSealed(["white owl", ...others]);
    const first = await findTweets(world.ctx, parseQuery('"white owl"'), { viewer: undefined });
    expect(first.items).toEqual([]);
    expect(first.older).toBeDefined();
    expect(await findTexts(world.ctx, '"white owl"')).toEqual(["white owl"]);
    const up = await findTweets(world.ctx, parseQuery('"white owl"'), {
      viewer: undefined,
      from: 0,
    });
    expect(up.items.map(({ tweet }) => tweet.text)).toEqual(["white owl"]);
  });
});
