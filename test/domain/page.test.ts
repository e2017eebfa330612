import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { userId } from "../../src/domain/ids.ts";
import { type Entry, readEntries, readPage } from "../../src/domain/page.ts";
import { keys } from "../../src/redis/keys.ts";
import { readAll } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { runs } from "../support/models/property-runs.ts";

const key = keys.userTimeline(userId(1));

/** Few stamps, so that many entries share one. */
const entryLists = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 500 }).map(String),
    stamp: fc.integer({ min: 1, max: 25 }),
  }),
  { selector: (entry) => entry.id, maxLength: 60 },
);
const limits = fc.integer({ min: 1, max: 9 });

describe("paging through a sorted set", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    await world.ctx.redis.del(key);
  });
  afterAll(() => world.close());

  it("paging shows everything once, newest first, with shared stamps and while items arrive", async () => {
    const { redis } = world.ctx;
    await fc.assert(
      fc.asyncProperty(entryLists, limits, fc.boolean(), async (entries, limit, arrivals) => {
        await fill(entries);
        let arrived = 0;
        const shown = await readAll(async (before) => {
          const page = await readPage(redis, key, { before, limit });
          expect(page.items.length).toBeGreaterThanOrEqual(page.older === undefined ? 0 : limit);
          arrived += 1;
          if (arrivals) await redis.zadd(key, 100 + arrived, 1000 + arrived);
          return page;
        });
        expect(inOrder(shown)).toEqual(inOrder(entries));
        expect(shown.map((entry) => entry.stamp)).toEqual(
          shown.map((entry) => entry.stamp).toSorted((one, other) => other - one),
        );
      }),
      runs(300),
    );
  });

  it("paging ends after the last page", async () => {
    await fc.assert(
      fc.asyncProperty(entryLists, limits, async (entries, limit) => {
        await fill(entries);
        let pages = 0;
        await readAll(async (before) => {
          const page = await readPage(world.ctx.redis, key, { before, limit });
          pages += 1;
          expect(page.items.length).toBeGreaterThanOrEqual(Math.min(1, entries.length));
          return page;
        });
        expect(pages).toBeLessThanOrEqual(Math.max(1, Math.ceil(entries.length / limit)));
      }),
      runs(200),
    );
  });

  it("a page reads at least the entries asked for, and never half of those with one stamp", async () => {
    const { redis } = world.ctx;
    await fc.assert(
      fc.asyncProperty(
        entryLists,
        limits,
        fc.integer({ min: 1, max: 26 }),
        async (all, limit, floor) => {
          await fill(all);
          const entries = await readEntries(redis, key, { before: undefined, limit }, floor);
          const possible = all.filter((entry) => entry.stamp >= floor);
          expect(entries.length).toBeGreaterThanOrEqual(Math.min(limit, possible.length));
          const last = entries.at(-1)?.stamp ?? 0;
          expect(inOrder(entries)).toEqual(
            inOrder(possible.filter((entry) => entry.stamp >= last)),
          );
        },
      ),
      runs(200),
    );
  });

  it("a page shows at most a hundred entries of one stamp", async () => {
    const { redis } = world.ctx;
    await fill(Array.from({ length: 1500 }, (_, nth) => ({ id: String(nth + 1), stamp: 7 })));
    await redis.zadd(key, 6, 2000);
    const page = await readPage(redis, key, { before: undefined, limit: 50 });
    expect(page.items.length).toBeLessThanOrEqual(150);
    expect(new Set(page.items.map(({ id }) => id)).size).toBe(page.items.length);
    const next = await readPage(redis, key, { before: page.older, limit: 50 });
    expect(next).toEqual({ items: [{ id: "2000", stamp: 6 }], older: undefined });
  });

  it("paging a set that does not exist shows nothing", async () => {
    const page = await readPage(world.ctx.redis, key, { before: undefined, limit: 5 });
    expect(page).toEqual({ items: [], older: undefined });
  });

  async function fill(entries: Entry[]): Promise<void> {
    await world.ctx.redis.del(key);
    const flat = entries.flatMap((entry) => [entry.stamp, entry.id]);
    if (flat.length > 0) await world.ctx.redis.zadd(key, ...flat);
  }
});

function inOrder(entries: Entry[]): Entry[] {
  return entries.toSorted(
    (one, other) => other.stamp - one.stamp || Number(other.id) - Number(one.id),
  );
}
