import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userId } from "../../../src/domain/ids.ts";
import type { Entry } from "../../../src/domain/page.ts";
import { mergeUserTimelines, firstEntries } from "../../../src/domain/timelines/merge.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis, onCluster } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("merging user timelines", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  /** Stamps of what each of several authors wrote; imported tweets of one author may share a stamp. */
  const works = fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
  });

  async function write(stamps: number[][]): Promise<Entry[]> {
    await emptyRedis(world.ctx.redis);
    const entries = stamps.map((written, author) =>
      written.map((stamp, nth) => ({ id: String(author * 1000 + nth + 1), stamp })),
    );
    await exec(
      world.ctx.redis,
      entries.flatMap((own, author) =>
        own.map(({ id, stamp }) => ["zadd", keys.userTimeline(userId(author + 1)), stamp, id]),
      ),
    );
    return entries.flat();
  }

  // A cluster has no one count of commands.
  it.skipIf(onCluster)(
    "an author of thousands of replies that are not shown is read in a few rounds",
    async () => {
      const author = userId(1);
      const stamps = Array.from({ length: 5000 }, (_, nth) => nth + 2);
      await emptyRedis(world.ctx.redis);
      const written = stamps.flatMap((stamp) => [stamp, String(stamp)]);
      const replies = stamps.flatMap((stamp) => [stamp, `${stamp}:77`]);
      await exec(world.ctx.redis, [
        ["zadd", keys.userTimeline(author), 1, "1", ...written],
        ["zadd", keys.replies(author), ...replies],
      ]);
      const commands = async () =>
        Number(/total_commands_processed:(\d+)/.exec(await world.ctx.redis.info("stats"))?.[1]);
      const before = await commands();
      const range = { before: undefined, limit: 2 };
      const merged = await mergeUserTimelines(world.ctx, [author], range, () => false);
      expect(merged).toEqual([{ id: "1", stamp: 1 }]);
      expect((await commands()) - before).toBeLessThan(40);
    },
  );

  it("merged timelines are the newest of all authors, and never half of those with one stamp", async () => {
    const limits = fc.integer({ min: 1, max: 12 });
    const cursors = fc.option(fc.integer({ min: 1, max: 31 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(works, limits, cursors, async (stamps, limit, before) => {
        const all = await write(stamps);
        const authors = stamps.map((_, author) => userId(author + 1));
        const merged = await mergeUserTimelines(world.ctx, authors, { before, limit });
        const older = all.filter((entry) => entry.stamp < (before ?? Infinity));
        expect(merged).toEqual(firstEntries(older, { limit }));
        expect(merged.length).toBeGreaterThanOrEqual(Math.min(limit, older.length));
      }),
      runs(150),
    );
  });

  it("tweets of one author that share a stamp stay together, without replies that are not shown", async () => {
    await write([[9, 5, 5, 5, 5, 5, 3]]);
    const [author] = [userId(1)];
    await world.ctx.redis.zadd(keys.replies(author), 5, "3:77");
    for (const authors of [
      [author],
      [author, ...Array.from({ length: 60 }, (_, nth) => userId(2 + nth))],
    ]) {
      const pages: string[][] = [];
      for (let before: number | undefined = undefined, nth = 0; nth < 4; nth += 1) {
        const some: Entry[] = await mergeUserTimelines(
          world.ctx,
          authors,
          { before, limit: 2 },
          () => false,
        );
        pages.push(some.map(({ id }) => id));
        before = some.at(-1)?.stamp ?? 1;
      }
      expect(pages).toEqual([["1", "6", "5", "4", "2"], ["7"], [], []]);
    }
  });

  it("merged timelines take any number of authors", async () => {
    const stamps = Array.from({ length: 1234 }, (_, author) => [author * 2 + 1, author * 2 + 2]);
    const all = await write(stamps);
    const authors = stamps.map((_, author) => userId(author + 1));
    for (const inOrder of [authors, authors.toReversed()]) {
      const merged = await mergeUserTimelines(world.ctx, inOrder, { before: undefined, limit: 90 });
      expect(merged).toEqual(firstEntries(all, { limit: 90 }));
    }
  });

  it("merged timelines of no authors are empty", async () => {
    const range = { before: undefined, limit: 5 };
    expect(await mergeUserTimelines(world.ctx, [], range)).toEqual([]);
  });
});

const entry = (id: number, stamp: number) => ({ id: String(id), stamp });

describe("firstEntries", () => {
  it("firstEntries sorts, drops duplicates and keeps entries that share the last stamp", () => {
    const some = [entry(1, 10), entry(3, 30), entry(2, 20), entry(3, 30), entry(4, 20)];
    expect(firstEntries(some, { limit: 2 })).toEqual([entry(3, 30), entry(4, 20), entry(2, 20)]);
    expect(firstEntries(some, { limit: 9 })).toHaveLength(4);
  });
});
