import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../../src/domain/actions/follow.ts";
import { mute } from "../../../src/domain/actions/mute.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { countNewInList, listFeed } from "../../../src/domain/feeds/feeds.ts";
import {
  addToList,
  changeList,
  makeList,
  repliesPolicies,
} from "../../../src/domain/graph/lists.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import type { ListId, TweetId, UserId } from "../../../src/domain/ids.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { expectRanges, looks, type ShownItem } from "./expect-ranges.ts";

const writings = fc.array(
  fc.record({
    author: fc.nat(3),
    does: fc.constantFrom("tweet", "reply", "delete", "tweet"),
    what: fc.nat(9),
  }),
  { maxLength: 30 },
);

interface Written extends ShownItem {
  id: TweetId;
  author: UserId;
  /** Author of the answered tweet, if another. */
  to: UserId | undefined;
}

describe("the timeline of a list", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  /** An owner who follows three people, of whom a list has the first two; the last of all is a stranger. */
  async function scene() {
    const people = (await newPeople(world.ctx, 5)) as [UserId, UserId, UserId, UserId, UserId];
    const [owner, one, two, followed] = people;
    for (const followee of [one, two, followed])
      await follow(world.ctx, { follower: owner, followee });
    const { id: list } = await makeList(world.ctx, owner, { title: "Birds", replies: "list" });
    for (const member of [one, two]) await addToList(world.ctx, { owner, list, member });
    return { people, owner, one, two, followed, stranger: people[4], list };
  }

  async function texts(owner: UserId, list: ListId): Promise<string[]> {
    const viewer = await getViewer(world.ctx, owner);
    const { items } = await listFeed(world.ctx, viewer, list);
    return items.map(({ tweet }) => tweet.text);
  }

  it("a list reads as its members' timelines together, from either end and from any point", async () => {
    const { people, owner, one, two, followed, list } = await scene();
    const viewer = await getViewer(world.ctx, owner);
    const written: Written[] = [];
    const policies = fc.constantFrom(...repliesPolicies);
    await fc.assert(
      fc.asyncProperty(writings, policies, looks, async (asked, replies, look) => {
        for (const { author: nth, does, what } of asked) {
          const author = people[nth + 1] as UserId;
          const other = written[what % Math.max(1, written.length)];
          if (does === "delete" && other !== undefined) {
            await deleteTweet(world.ctx, other.author, other.id);
            written.splice(written.indexOf(other), 1);
            continue;
          }
          const parent = does === "reply" ? other : undefined;
          const about = { text: "words", replyTo: parent?.id };
          const id = await postTweet(world.ctx, author, about);
          const { createdAt: stamp } = await getTweet(world.ctx, id);
          const to = parent?.author === author ? undefined : parent?.author;
          written.unshift({ id, stamp, author, to });
        }
        await changeList(world.ctx, owner, list, { replies });
        const answered = {
          none: [owner],
          list: [owner, one, two],
          followed: [owner, one, two, followed],
        }[replies];
        const shown = written
          .filter(({ author }) => author === one || author === two)
          .filter(({ to }) => to === undefined || answered.includes(to))
          .map(({ id, stamp }) => ({ id, stamp }));
        const stamps = written.map(({ stamp }) => stamp);
        const read = (part: object) => listFeed(world.ctx, viewer, list, part);
        await expectRanges(read, shown, stamps, look);
      }),
      runs(12, 25_000),
    );
  });

  it("a list leaves out muted, blocked and suspended people, and muted words", async () => {
    const { owner, one, two, list } = await scene();
    await postTweet(world.ctx, one, { text: "seen" });
    await postTweet(world.ctx, one, { text: "noise" });
    await postTweet(world.ctx, two, { text: "of the other" });
    expect(await texts(owner, list)).toEqual(["of the other", "noise", "seen"]);
    await muteWord(world.ctx, owner, { word: "noise", days: undefined });
    await world.ctx.redis.hset(keys.user(two), "suspended_at", 1);
    expect(await texts(owner, list)).toEqual(["seen"]);
    await mute(world.ctx, { muter: owner, muted: one });
    expect(await texts(owner, list)).toEqual([]);
  });

  it("a list has its members' retweets, once beside the original", async () => {
    const { owner, one, two, stranger, list } = await scene();
    const theirs = await postTweet(world.ctx, stranger, { text: "from elsewhere" });
    const own = await postTweet(world.ctx, one, { text: "by a member" });
    await retweet(world.ctx, two, theirs);
    await retweet(world.ctx, two, own);
    expect(await texts(owner, list)).toEqual(["from elsewhere", "by a member"]);
  });

  it("new tweets of a list are counted, and a list that is gone is empty", async () => {
    const { owner, one, followed, list } = await scene();
    const viewer = await getViewer(world.ctx, owner);
    const first = await postTweet(world.ctx, one, { text: "first" });
    const { createdAt } = await getTweet(world.ctx, first);
    const count = async () => await countNewInList(world.ctx, viewer, list, createdAt);
    expect(await count()).toBe(0);
    await postTweet(world.ctx, one, { text: "second" });
    await postTweet(world.ctx, followed, { text: "by no member" });
    expect(await count()).toBe(1);
    await retweet(world.ctx, one, await postTweet(world.ctx, followed, { text: "brought" }));
    expect(await count()).toBe(2);
    expect(await texts(owner, "1" as ListId)).toEqual([]);
  });
});
