import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { homeEntries, rebuildHome } from "../../../src/domain/timelines/home.ts";
import { newPeople, readHomeIds, postAndDeliver } from "../../support/actors/people.ts";
import { moments, steps } from "../../support/models/timeline-steps.ts";
import { TimelineModel } from "../../support/models/timeline-model.ts";
import { connectToTestRedis, createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

/** Everything happens with few tweets: cuts at the cap, pages of followers, rebuilds. */
const small = { timelineCap: 10, fanoutPage: 2 };

describe.each([
  ["whose authors are all delivered", 100],
  ["whose authors become big accounts and small ones again", 2],
])("a home timeline %s", (_, bigAccountFollowers) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ ...small, bigAccountFollowers }, { workers: false });
  });
  afterAll(() => world.close());

  it("home shows all live tweets of followings and the user's own, after any actions", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (happened) => {
        const story = await TimelineModel.begin(world.ctx);
        for (const step of happened) await story.happen(step);
        await story.deliverRest();
        for (const user of story.people) await expectHome(story, user);
      }),
      runs(60, 12_000),
    );
  });

  it("home shows all live tweets after simultaneous actions, too", async () => {
    await fc.assert(
      fc.asyncProperty(moments, fc.boolean(), async (happened, deliverFirst) => {
        const story = await TimelineModel.begin(world.ctx);
        for (const together of happened)
          await Promise.all(together.map((step) => story.happen(step)));
        if (deliverFirst) await story.deliverRest();
        await story.reconcileAll();
        await story.readTruth();
        await story.deliverRest();
        for (const user of story.people) await expectHome(story, user);
      }),
      runs(40, 12_000),
    );
  });

  it("home hides nothing from a reader while deliveries cut it and others rebuild it", async () => {
    const { ctx } = world;
    const [reader, author] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    const before: string[] = [];
    for (let nth = 0; nth < 30; nth += 1)
      before.push(await postAndDeliver(ctx, author, `old ${nth}`));
    const redis = connectToTestRedis("worker", ctx.config);
    const writing = new AbortController();
    const write = async () => {
      for (let nth = 0; nth < 150; nth += 1)
        await postAndDeliver({ ...ctx, redis }, author, `new ${nth}`);
      writing.abort();
      redis.disconnect();
    };
    const read = async (limit: number) => {
      while (!writing.signal.aborted) {
        const ids = new Set(await readEntryIds(reader, limit));
        expect(before.filter((id) => !ids.has(id))).toEqual([]);
        if (limit === 2) await rebuildHome(ctx, reader);
      }
    };
    await Promise.all([write(), read(2), read(3), read(5), read(8)]);
  });

  /** Few at a time first, from the entries that nothing has healed; then page by page as people do. */
  async function expectHome(story: TimelineModel, user: UserId): Promise<void> {
    const { entries, shown } = story.expected(user);
    // By then every process has heard of what big accounts have posted.
    world.pass(1000);
    for (const limit of [3, 7]) {
      const ids = await readEntryIds(user, limit);
      expect(ids).toEqual([...new Set(ids)]);
      const live = new Set<string>(entries);
      expect(ids.filter((id) => live.has(id))).toEqual(entries);
    }
    expect(await readHomeIds(world.ctx, user)).toEqual(shown);
    expect(await readHomeIds(world.ctx, user)).toEqual(shown);
  }

  async function readEntryIds(user: UserId, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let before: number | undefined; ;) {
      const entries = await homeEntries(world.ctx, user, { before, limit });
      ids.push(...entries.map((entry) => entry.id));
      if (entries.length < limit) return ids;
      before = entries.at(-1)?.stamp;
    }
  }
});
