import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { globalFeed, homeFeed, repliesFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import { mute, unmute } from "../../../src/domain/actions/mute.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, readAll } from "../../support/actors/people.ts";
import { expectRanges, looks, type ShownItem, shownOf } from "./expect-ranges.ts";
import { steps } from "../../support/models/timeline-steps.ts";
import { TimelineModel } from "../../support/models/timeline-model.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const inTime = runs(40, 14_000);

/** The public timeline is cut, too; here it begins with the model. */
async function tell(world: World, happened: Parameters<TimelineModel["happen"]>[0][]) {
  await world.ctx.redis.del(keys.globalTimeline);
  const story = await TimelineModel.begin(world.ctx);
  for (const step of happened) await story.happen(step);
  await story.deliverRest();
  // By then every process has heard of what big accounts have posted.
  world.pass(1000);
  return story;
}

const stampsIn = ({ writings }: TimelineModel) => writings.tweets.map(({ stamp }) => stamp);

function withStamps({ writings }: TimelineModel, ids: TweetId[]): ShownItem[] {
  const stamps = new Map(writings.tweets.map(({ id, stamp }) => [id, stamp]));
  return ids.map((id) => ({ id, stamp: stamps.get(id) ?? 0 }));
}

describe.each([
  ["whose authors are all delivered", 100],
  ["with big accounts", 2],
])("home %s", (_, bigAccountFollowers) => {
  let world: World;
  beforeAll(async () => {
    const small = { timelineCap: 10, fanoutPage: 2, bigAccountFollowers };
    world = await createWorld(small, { workers: false });
  });
  afterAll(() => world.close());

  it("home reads the same from either end and from any point, below the cap too", async () => {
    await fc.assert(
      fc.asyncProperty(steps, looks, async (happened, look) => {
        const story = await tell(world, happened);
        for (const user of story.people) {
          const viewer = await getViewer(world.ctx, user);
          const list = withStamps(story, story.expected(user).shown);
          const read = (part: object) => homeFeed(world.ctx, viewer, part);
          await expectRanges(read, list, stampsIn(story), look);
        }
      }),
      inTime,
    );
  });

  it("home with a muted user reads the same from either end and from any point", async () => {
    await fc.assert(
      fc.asyncProperty(steps, looks, async (happened, look) => {
        const story = await tell(world, happened);
        const [reader, muted] = story.people as [UserId, UserId];
        await mute(world.ctx, { muter: reader, muted });
        const viewer = await getViewer(world.ctx, reader);
        const whole = await readAll((before) => homeFeed(world.ctx, viewer, { before }));
        expect(whole.filter(({ tweet }) => tweet.author === muted)).toEqual([]);
        const read = (part: object) => homeFeed(world.ctx, viewer, part);
        const list = shownOf({ items: whole, older: undefined });
        await expectRanges(read, list, stampsIn(story), look);
        await unmute(world.ctx, { muter: reader, muted });
      }),
      inTime,
    );
  });
});

describe("ranges of user and public lists", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ timelineCap: 10 }, { workers: false });
  });
  afterAll(() => world.close());

  it("user and public lists read the same from either end and from any point", async () => {
    await fc.assert(
      fc.asyncProperty(steps, looks, async (happened, look) => {
        const story = await tell(world, happened);
        const { tweets } = story.writings;
        const live = tweets
          .filter(({ deleted, original }) => !deleted && original?.deleted !== true)
          .toSorted((one, other) => other.stamp - one.stamp);
        const [author] = story.people as [UserId];
        const own = live.filter((tweet) => tweet.author === author);
        const lists = [
          { feed: globalFeed, list: live.filter((one) => !one.answers && !one.original) },
          { feed: repliesFeed, list: own },
          { feed: userFeed, list: own.filter(({ answers = author }) => answers === author) },
        ];
        for (const { feed, list } of lists) {
          const shown = list.map(({ id, stamp }) => ({ id, stamp }));
          const read = (part: object) => {
            const view = { viewer: undefined, ...part };
            return feed === globalFeed
              ? globalFeed(world.ctx, view)
              : (feed as typeof userFeed)(world.ctx, author, view);
          };
          await expectRanges(read, shown, stampsIn(story), look);
        }
      }),
      inTime,
    );
  });
});
