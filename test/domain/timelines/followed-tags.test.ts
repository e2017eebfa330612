import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userId } from "../../../src/domain/ids.ts";
import type { Entry } from "../../../src/domain/page.ts";
import { homeEntries } from "../../../src/domain/timelines/home.ts";
import { firstEntries } from "../../../src/domain/timelines/merge.ts";
import { type Command, exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const reader = userId(1);
const tags = ["birds", "雀", "trains"];

/** Those that share a stamp have no order of their own. */
function inOrder(entries: Entry[], upwards = false): Entry[] {
  return firstEntries(entries, { limit: Infinity, upwards });
}

describe("followed hashtags at home", () => {
  let world: World;
  beforeAll(async () => {
    // A small cap, so that home is cut and older tweets come from the user timelines.
    world = await createWorld({ timelineCap: 6 }, { workers: false });
  });
  afterAll(() => world.close());

  /** Each tweet has an author, whom the reader follows if the number is below 3, and some of the tags. */
  const works = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 500 }),
      // Few moments, so that some tie.
      stamp: fc.integer({ min: 2, max: 40 }),
      author: fc.integer({ min: 1, max: 4 }),
      tagged: fc.subarray(tags),
    }),
    {
      // Tweets of different authors may share a stamp, as imported ones of the same second do.
      comparator: (one, other) =>
        one.id === other.id || (one.author === other.author && one.stamp === other.stamp),
      maxLength: 40,
    },
  );
  const limits = fc.integer({ min: 1, max: 9 });

  /** Writes the tweets, and returns those that the reader is to see. */
  async function write(all: typeof works extends fc.Arbitrary<infer Work> ? Work : never) {
    const { redis } = world.ctx;
    await emptyRedis(redis);
    const commands: Command[] = [["zadd", keys.followings(reader), 1, 2]];
    for (const tag of tags.slice(0, 2)) commands.push(["zadd", keys.followedTags(reader), 1, tag]);
    for (const { id, stamp, author, tagged } of all) {
      commands.push(["zadd", keys.userTimeline(userId(author)), stamp, String(id)]);
      for (const tag of tagged) commands.push(["zadd", keys.tag(tag), stamp, String(id)]);
    }
    await exec(redis, commands);
    return all
      .filter(({ author, tagged }) => author < 3 || tagged.some((tag) => tag !== "trains"))
      .map(({ id, stamp }): Entry => ({ id: String(id), stamp }));
  }

  it("any page of home has the newest of followed users and hashtags, each once, and no half of a stamp", async () => {
    const cursors = fc.option(fc.integer({ min: 1, max: 41 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        works,
        limits,
        cursors,
        fc.boolean(),
        async (all, limit, cursor, upwards) => {
          const wanted = await write(all);
          const range = upwards
            ? { before: undefined, after: cursor ?? 0, limit, upwards }
            : { before: cursor, limit };
          const inRange = wanted.filter(({ stamp }) =>
            upwards ? stamp > (cursor ?? 0) : stamp < (cursor ?? Infinity),
          );
          const read = inOrder(await homeEntries(world.ctx, reader, range), upwards);
          const first = firstEntries(inRange, { limit, upwards });
          expect(read.slice(0, first.length)).toEqual(first);
          expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
        },
      ),
      runs(120),
    );
  });

  it("reading on from page to page shows every tweet once", async () => {
    await fc.assert(
      fc.asyncProperty(works, limits, async (all, limit) => {
        const wanted = await write(all);
        const seen: Entry[] = [];
        for (let before: number | undefined; ;) {
          const page = await homeEntries(world.ctx, reader, { before, limit });
          seen.push(...page);
          if (page.length < limit) break;
          before = page.at(-1)?.stamp;
        }
        expect(seen.length).toBe(wanted.length);
        expect(inOrder(seen)).toEqual(inOrder(wanted));
      }),
      runs(60),
    );
  });
});
