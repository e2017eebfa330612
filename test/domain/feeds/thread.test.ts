import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TweetId, type UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { buryTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import {
  type Ancestor,
  ancestorsOf,
  findFeedItem,
  peopleWhoReacted,
  repliesTo,
} from "../../../src/domain/feeds/thread.ts";
import { keys } from "../../../src/redis/keys.ts";
import { freshProcess } from "../../support/world/ending-process.ts";
import { getViewer, newPeople, readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const idOf = (item: Ancestor) => (typeof item === "string" ? item : item.tweet.id);

describe("a thread", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  /** Tweets that each answer the one before, by two authors in turn. */
  async function chain(length: number): Promise<TweetId[]> {
    const ids: TweetId[] = [];
    for (let nth = 0; nth < length; nth += 1) {
      const author = nth % 2 === 0 ? ann : bob;
      ids.push(await postTweet(world.ctx, author, { text: `${nth}`, replyTo: ids.at(-1) }));
    }
    return ids;
  }

  async function above(id: TweetId) {
    const { items, earlier } = await ancestorsOf(
      world.ctx,
      undefined,
      await getTweet(world.ctx, id),
    );
    return { ids: items.map(idOf), earlier };
  }

  it("a thread shows the tweets that a reply answers, the first one first", async () => {
    const ids = await chain(4);
    expect(await above(ids[3] as TweetId)).toEqual({ ids: ids.slice(0, 3), earlier: undefined });
    expect(await above(ids[0] as TweetId)).toEqual({ ids: [], earlier: undefined });
  });

  it("a thread keeps the place of a deleted tweet, and continues above it", async () => {
    const ids = await chain(4);
    await deleteTweet(world.ctx, bob, ids[1] as TweetId);
    const { ids: shown } = await above(ids[3] as TweetId);
    expect(shown).toEqual([ids[0], "gone", ids[2]]);
  });

  it("a thread ends above a tweet that is gone completely", async () => {
    const ids = await chain(4);
    await world.ctx.redis.del(keys.tweet(ids[1] as TweetId));
    const { ids: shown } = await above(ids[3] as TweetId);
    expect(shown).toEqual(["gone", ids[2]]);
  });

  it("a thread shows at most 20 tweets, and a link to continue", async () => {
    const ids = await chain(23);
    expect(await above(ids[20] as TweetId)).toEqual({ ids: ids.slice(0, 20), earlier: undefined });
    expect(await above(ids[22] as TweetId)).toEqual({ ids: ids.slice(2, 22), earlier: ids[2] });
  });

  it("the link to continue names no tweet that is hidden from the viewer", async () => {
    const ids = await chain(23);
    const [viewer] = (await newPeople(world.ctx, 1)) as [UserId];
    await world.ctx.redis.zadd(keys.blockedBy(viewer), 1, bob);
    const looking = await getViewer(world.ctx, viewer);
    const last = await getTweet(world.ctx, ids[22] as TweetId);
    const { items, earlier } = await ancestorsOf(world.ctx, looking, last);
    expect(items.slice(0, 2).map(idOf)).toEqual([ids[2], "gone"]);
    expect(earlier).toBe(ids[2]);
    const odd = await getTweet(world.ctx, ids[21] as TweetId);
    expect((await ancestorsOf(world.ctx, looking, odd)).earlier).toBe(ids[2]);
  });

  it("a thread hides a user's tweet from users they blocked", async () => {
    const ids = await chain(3);
    const [viewer] = (await newPeople(world.ctx, 1)) as [UserId];
    await world.ctx.redis.zadd(keys.blockedBy(viewer), 1, bob);
    const looking = await getViewer(world.ctx, viewer);
    const last = await getTweet(world.ctx, ids[2] as TweetId);
    const { items } = await ancestorsOf(world.ctx, looking, last);
    expect(items.map(idOf)).toEqual([ids[0], "gone"]);
    expect(await findFeedItem(world.ctx, looking, ids[1] as TweetId)).toBeUndefined();
    expect((await findFeedItem(world.ctx, looking, ids[0] as TweetId))?.tweet.id).toBe(ids[0]);
  });

  it("a thread pages its replies to the end, and forgets deleted ones", async () => {
    const [first] = (await chain(1)) as [TweetId];
    const replies: TweetId[] = [];
    for (let nth = 0; nth < 120; nth += 1)
      replies.unshift(await postTweet(world.ctx, bob, { text: `${nth}`, replyTo: first }));
    const doomed = replies.slice(30, 40);
    for (const id of doomed) await buryTweet(world.ctx, id, 1);
    const expected = replies.filter((id) => !doomed.includes(id));
    const page = await repliesTo(freshProcess(world.ctx), first, { viewer: undefined });
    expect(page.items).toHaveLength(50);
    const all = await readAll((before) =>
      repliesTo(freshProcess(world.ctx), first, { viewer: undefined, before }),
    );
    expect(all.map(({ tweet }) => tweet.id)).toEqual(expected);
    const counts = await readCounts(freshProcess(world.ctx), [first]);
    expect(counts.get(first)?.replies).toBe(110);
  });

  it.each(["likes", "retweets"] as const)(
    "the users who %s a tweet are paged to the end",
    async (did) => {
      const [first] = (await chain(1)) as [TweetId];
      const key = did === "likes" ? keys.tweetLikes(first) : keys.tweetRetweets(first);
      const people = await newPeople(world.ctx, 130);
      // Three at a time came at the same moment.
      const flat = people.flatMap((id, nth) => [1000 - Math.floor(nth / 3), id]);
      await world.ctx.redis.zadd(key, ...flat);
      const page = await peopleWhoReacted(world.ctx, did, first, { viewer: undefined });
      expect(page.items.length).toBeGreaterThanOrEqual(50);
      const all = await readAll((before) =>
        peopleWhoReacted(world.ctx, did, first, { viewer: undefined, before }),
      );
      expect(all.map(({ id }) => id).toSorted()).toEqual(people.toSorted());
    },
  );

  it("a thread is found by a retweet, too", async () => {
    const [first] = (await chain(1)) as [TweetId];
    await retweet(world.ctx, bob, first);
    const id = (await world.ctx.redis.hget(keys.retweets(bob), first)) as TweetId;
    const item = await findFeedItem(world.ctx, undefined, id);
    expect([item?.tweet.id, item?.retweet?.id]).toEqual([first, id]);
    await deleteTweet(world.ctx, ann, first);
    expect(await findFeedItem(world.ctx, undefined, id)).toBeUndefined();
  });
});
