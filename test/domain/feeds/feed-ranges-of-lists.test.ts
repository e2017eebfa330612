import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { bookmarksFeed, likesFeed } from "../../../src/domain/feeds/feeds.ts";
import { bookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { findTweets, parseQuery, tagFeed } from "../../../src/domain/search/find-tweets.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { expectRanges, looks, type ShownItem } from "./expect-ranges.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

interface Written extends ShownItem {
  id: TweetId;
  author: UserId;
  tagged: boolean;
  deleted: boolean;
}

const signedOut = { viewer: undefined };
const tweets = fc.array(
  fc.record({ author: fc.nat(1), tagged: fc.boolean(), deleted: fc.boolean() }),
  { maxLength: 30 },
);

const shown = (written: ShownItem[]): ShownItem[] =>
  written.map(({ id, stamp }) => ({ id, stamp }));

describe("ranges of tags, likes and bookmarks", () => {
  let world: World;
  let people: UserId[];
  let told = 0;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    people = await newPeople(world.ctx, 2);
  });
  afterAll(() => world.close());

  async function write(asked: { author: number; tagged: boolean; deleted: boolean }[]) {
    told += 1;
    const written: Written[] = [];
    for (const { author: nth, tagged, deleted } of asked) {
      const author = people[nth] as UserId;
      const id = await postAndDeliver(world.ctx, author, tagged ? `words #story${told}` : "words");
      const { createdAt: stamp } = await getTweet(world.ctx, id);
      written.unshift({ id, stamp, author, tagged, deleted });
    }
    return written;
  }

  async function deleteSome(written: Written[]): Promise<Written[]> {
    for (const { id, author, deleted } of written)
      if (deleted) await deleteTweet(world.ctx, author, id);
    return written.filter(({ deleted }) => !deleted);
  }

  it("a tag reads the same from either end and from any point", async () => {
    await fc.assert(
      fc.asyncProperty(tweets, looks, async (asked, look) => {
        const written = await write(asked);
        const stamps = written.map(({ stamp }) => stamp);
        const tagged = (await deleteSome(written)).filter((tweet) => tweet.tagged);
        const tag = `story${told}`;
        const read = (part: object) => tagFeed(world.ctx, tag, { ...signedOut, ...part });
        await expectRanges(read, shown(tagged), stamps, look);
        const author = people[0] as UserId;
        const { name = "" } = (await findUser(world.ctx, author)) ?? {};
        const query = { ...parseQuery(""), tags: [tag], from: [name] };
        const readOwn = (part: object) => findTweets(world.ctx, query, { ...signedOut, ...part });
        const own = tagged.filter((tweet) => tweet.author === author);
        await expectRanges(readOwn, shown(own), stamps, look);
      }),
      runs(15, 12_000),
    );
  });

  it.each([
    ["likes", likeTweet, likesFeed, keys.likes],
    ["bookmarks", bookmarkTweet, bookmarksFeed, keys.bookmarks],
  ] as const)(
    "a list reads the same from either end and from any point: %s",
    async (_, act, feed, listOf) => {
      await fc.assert(
        fc.asyncProperty(tweets, looks, async (asked, look) => {
          const [user] = (await newPeople(world.ctx, 1)) as [UserId];
          const written = await write(asked);
          for (const { id } of written) {
            // Two at the same moment would be told apart by the last digits of their ids alone.
            world.pass(1);
            await act(world.ctx, user, id);
          }
          const list: ShownItem[] = [];
          const stamps: number[] = [];
          for (const { id, deleted } of written) {
            const stamp = Number(await world.ctx.redis.zscore(listOf(user), id));
            stamps.push(stamp);
            if (!deleted) list.unshift({ id, stamp });
          }
          await deleteSome(written);
          const read = (part: object) => feed(world.ctx, user, { ...signedOut, ...part });
          await expectRanges(read, list, stamps, look);
          expect(await world.ctx.redis.zcard(listOf(user))).toBe(list.length);
        }),
        runs(15, 12_000),
      );
    },
  );
});
