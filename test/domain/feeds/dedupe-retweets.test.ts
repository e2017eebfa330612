import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TweetId, tweetId, userId } from "../../../src/domain/ids.ts";
import { type Entry, type Range, pageSize } from "../../../src/domain/page.ts";
import { listSource, readFeed, withoutRepeats } from "../../../src/domain/feeds/read-feed.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import { readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const author = userId(1);
const originals = 12;

/** Tweet number `original`; or a retweet of it, with a number of its own. */
function item(original: number, retweetNumber?: number): FeedItem {
  const tweet: Tweet = { id: tweetId(original), author, text: "…", createdAt: 1 };
  const retweetOf = { tweet: tweet.id, author };
  const retweet =
    retweetNumber === undefined
      ? undefined
      : { id: tweetId(retweetNumber), author, text: "", createdAt: 1, retweetOf };
  return { tweet, retweet, quote: undefined, stamp: 1 };
}

/** So many other tweets. */
const others = (count: number) => Array.from({ length: count }, (_, nth) => item(1000 + nth));

describe("a retweet", () => {
  it.each([
    ["after its original", [item(1, 501), ...others(39), item(1)]],
    ["after another retweet of it", [item(1, 501), ...others(39), item(1, 502)]],
  ])("a retweet is left out among the 40 items %s", (_, items) => {
    expect(withoutRepeats(items, true)).toEqual(items.slice(1));
    expect(withoutRepeats([...others(3), ...items], true)).toHaveLength(3 + items.length - 1);
  });

  it("a retweet is shown when its repeat is further away", () => {
    for (const other of [item(1), item(1, 502)]) {
      const items = [item(1, 501), ...others(40), other];
      expect(withoutRepeats(items, true)).toEqual(items);
    }
  });

  it("a retweet is left out because of one that is left out itself", () => {
    const items = [item(1, 501), ...others(30), item(1, 502), ...others(30), item(1)];
    expect(withoutRepeats(items, true)).toEqual(items.filter((_, nth) => nth !== 0 && nth !== 31));
  });

  it("a retweet never replaces its original", () => {
    const items = [item(1), item(1, 501), ...others(3)];
    expect(withoutRepeats(items, true)).toEqual(items);
  });

  it("paging may stop reading once 40 items follow a retweet", () => {
    const start = [item(7), item(1, 501)];
    expect(withoutRepeats([...start, ...others(39)], false)).toEqual([item(7)]);
    expect(withoutRepeats([...start, ...others(40)], false)).toHaveLength(42);
    expect(withoutRepeats([...start, ...others(39)], true)).toHaveLength(41);
    // One that is left out anyhow does not.
    expect(withoutRepeats([...start, item(1)], false)).toEqual([item(7), item(1)]);
  });
});

describe("lists without repeated retweets", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.ctx.redis.hset(keys.user(author), { name: "author", created_at: 1 });
    for (let id = 1; id <= 300; id += 1)
      await createTweet(world.ctx, { id: tweetId(id), author, text: "…", createdAt: 1, ...of(id) });
  });
  afterAll(() => world.close());

  const lists = fc
    .tuple(
      fc.shuffledSubarray(
        Array.from({ length: 300 }, (_, nth) => nth + 1),
        { minLength: 80 },
      ),
      fc.array(fc.nat({ max: 299 }), { maxLength: 40 }),
    )
    .map(([ids, ties]): Entry[] => {
      const tied = new Set(ties);
      let stamp = 10_000;
      return ids.map((id, nth) => ({
        id: String(id),
        stamp: tied.has(nth) ? stamp : (stamp -= 7),
      }));
    });

  function listOf(entries: Entry[]) {
    const read = async ({ before = Infinity, limit }: Range) => {
      const rest = entries.filter(({ stamp }) => stamp < before);
      const edge = rest[limit - 1]?.stamp;
      return rest.filter(({ stamp }, nth) => nth < limit || stamp === edge);
    };
    return async (before?: number) =>
      await readFeed(world.ctx, { viewer: undefined, before }, { read, dropsRepeats: true });
  }
  it("a page that ends with two items of one stamp continues correctly before a retweet", async () => {
    const all = Array.from({ length: 300 }, (_, nth) => nth + 1);
    const near = all.filter((id) => of(id).retweetOf?.tweet === "2").slice(0, 11);
    const rest = all.filter((id) => isOriginal(id) && id !== 2 && id !== 5);
    const far = all.find((id) => of(id).retweetOf?.tweet === "5") ?? 0;
    const ids = [...near, 2, ...rest.slice(0, 50), far, ...rest.slice(50, 95)];
    const entries = ids.map((id, nth) => ({ id: String(id), stamp: 1000 - nth }));
    (entries[61] as Entry).stamp += 1;
    const expected = byRule(entries).map(({ id }) => id);
    expect(expected).toHaveLength(ids.length - near.length);
    expect(shownIn(await readAll(listOf(entries)))).toEqual(expected);
  });

  it("reading upwards leaves out a retweet above many tweets, as reading down does", async () => {
    const all = Array.from({ length: 300 }, (_, nth) => nth + 1);
    const rest = all.filter((id) => isOriginal(id) && id !== 2).slice(0, 45);
    const again = all.find((id) => of(id).retweetOf?.tweet === "2") ?? 0;
    const ids = [again, 2, ...rest];
    const entries = ids.map((id, nth) => ({ id: String(id), stamp: 1000 - nth }));
    const { ctx } = world;
    const key = keys.homeTimeline(author);
    await ctx.redis.zadd(key, ...entries.flatMap(({ id, stamp }) => [stamp, id]));
    const source = { ...listSource(ctx, key), dropsRepeats: true };
    const { items } = await readFeed(ctx, { viewer: undefined, from: 0, limit: 60 }, source);
    expect(shownIn(items)).toEqual(byRule(entries).map(({ id }) => id));
  });

  it("every page shows what the rule leaves of the whole list", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat({ max: 10_000 }), async (entries, start) => {
        const page = listOf(entries);
        const expected = byRule(entries);
        expect(shownIn(await readAll(page))).toEqual(expected.map(({ id }) => id));
        const below = expected.filter(({ stamp }) => stamp < start).map(({ id }) => id);
        const { items, older } = await page(start);
        expect(shownIn(items)).toEqual(below.slice(0, Math.max(pageSize, items.length)));
        expect(older === undefined).toBe(items.length === below.length);
      }),
      runs(100, 10_000),
    );
  });
});

/** The first few are originals, and everything else retweets one of them or is an original too. */
function of(id: number) {
  const isRetweet = id > originals && id % 3 !== 0;
  return isRetweet ? { retweetOf: { tweet: tweetId(1 + (id % originals)), author } } : {};
}

function isOriginal(id: number): boolean {
  return of(id).retweetOf === undefined;
}

/** The id of what an entry shows. */
function shownBy({ id }: Entry): string {
  return of(Number(id)).retweetOf?.tweet ?? id;
}

/** As slow and plain as can be. */
function byRule(entries: Entry[]): Entry[] {
  return entries.filter((entry, nth) => {
    const next = entries.slice(nth + 1, nth + 41).map(shownBy);
    return shownBy(entry) === entry.id || !next.includes(shownBy(entry));
  });
}

function shownIn(items: FeedItem[]): TweetId[] {
  return items.map(({ tweet, retweet }) => (retweet ?? tweet).id);
}
