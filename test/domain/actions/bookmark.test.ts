import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Blocked, NotFound } from "../../../src/domain/errors.ts";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { bookmarksFeed } from "../../../src/domain/feeds/feeds.ts";
import { bookmarkTweet, unbookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { readCounts, reactionsTo } from "../../../src/domain/tweets/reactions.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("bookmarks", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  async function listed(user: UserId): Promise<string[]> {
    const viewer = await getViewer(world.ctx, user);
    return (await bookmarksFeed(world.ctx, user, { viewer })).items.map(({ tweet }) => tweet.id);
  }

  it("bookmarks are private and listed newest first", async () => {
    const { ctx } = world;
    const [one, two] = [
      await postAndDeliver(ctx, bob, "one"),
      await postAndDeliver(ctx, bob, "two"),
    ];
    for (const tweet of [two, one, two]) {
      // Of the same millisecond, the later tweet would be the newer bookmark.
      world.pass(1);
      await bookmarkTweet(ctx, ann, tweet);
    }
    expect(await listed(ann)).toEqual([one, two]);
    expect(await listed(bob)).toEqual([]);
    const reactionTo = await reactionsTo(ctx, await getViewer(ctx, ann), [one, two]);
    expect([reactionTo(one).bookmarked, reactionTo(two).bookmarked]).toEqual([true, true]);
    await unbookmarkTweet(ctx, ann, one);
    await unbookmarkTweet(ctx, ann, one);
    expect(await listed(ann)).toEqual([two]);
    expect((await reactionsTo(ctx, await getViewer(ctx, ann), [one]))(one).bookmarked).toBe(false);
    expect((await readCounts(ctx, [one])).get(one)).toEqual({ replies: 0, retweets: 0, likes: 0 });
  });

  it("a bookmark is of the original tweet, and goes with it", async () => {
    const { ctx } = world;
    const original = await postAndDeliver(ctx, bob, "an original");
    const again = await retweet(ctx, ann, original);
    if (again === undefined) throw new Error("no retweet");
    await bookmarkTweet(ctx, ann, again);
    expect(await listed(ann)).toContain(original);
    await deleteTweet(ctx, bob, original);
    expect(await listed(ann)).not.toContain(original);
    expect(await ctx.redis.zscore(keys.bookmarks(ann), original)).toBeNull();
    await expect(bookmarkTweet(ctx, ann, original)).rejects.toThrow(NotFound);
    await expect(bookmarkTweet(ctx, ann, tweetId(999_999))).rejects.toThrow(NotFound);
  });

  it("bookmarks are bounded", async () => {
    const { ctx } = world;
    const key = keys.bookmarks(ann);
    const many = Array.from({ length: 10_000 }, (_, nth) => [1 + nth, 500_000 + nth]);
    await ctx.redis.zadd(key, ...many.flat());
    await bookmarkTweet(ctx, ann, await postAndDeliver(ctx, bob, "one more"));
    expect(await ctx.redis.zcard(key)).toBe(10_000);
    await ctx.redis.del(key);
  });

  it("a bookmark across a block is refused", async () => {
    const tweet = await postAndDeliver(world.ctx, bob, "not for ann");
    await block(world.ctx, { blocker: bob, blocked: ann });
    await expect(bookmarkTweet(world.ctx, ann, tweet)).rejects.toThrow(Blocked);
  });
});
