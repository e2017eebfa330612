import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { readCounts, reactionsTo } from "../../../src/domain/tweets/reactions.ts";
import { likesFeed, repliesFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { peopleWhoReacted, repliesTo } from "../../../src/domain/feeds/thread.ts";
import { keys } from "../../../src/redis/keys.ts";
import { freshProcess } from "../../support/world/ending-process.ts";
import { getViewer, readAll } from "../../support/actors/people.ts";
import { concurrentSteps, ReactionsModel } from "./reactions-model.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const sorted = (ids: Iterable<string>) => [...ids].toSorted();
const anybody = { viewer: undefined };

describe("likes, retweets and replies", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("likes, retweets and replies agree in every place after simultaneous and unfinished actions", async () => {
    await fc.assert(
      fc.asyncProperty(concurrentSteps, fc.boolean(), async (moments, twice) => {
        const story = await ReactionsModel.begin(world.ctx);
        for (const together of moments) {
          await story.happen(together);
          // So that something is remembered that may be wrong later.
          for (const user of story.people) await reactionsOf(story, user);
        }
        await story.keepAll(twice);
        await expectAgreement(freshProcess(world.ctx), story);
      }),
      runs(40, 10_000),
    );
  });

  async function reactionsOf(story: ReactionsModel, user: UserId) {
    const ids = story.tweets.map(({ id }) => id);
    return await reactionsTo(world.ctx, await getViewer(world.ctx, user), ids);
  }

  async function expectAgreement(ctx: Ctx, story: ReactionsModel): Promise<void> {
    const alive = [];
    for (const tweet of story.tweets)
      if ((await findTweet(ctx, tweet.id)) !== undefined) alive.push(tweet);
    for (const { id } of alive) expect(story.deleted).not.toContain(id);
    const living = new Set(alive.map(({ id }) => id));
    const likers = new Map(alive.map(({ id }) => [id, new Set<UserId>()]));
    const retweeters = new Map(alive.map(({ id }) => [id, new Set<UserId>()]));

    for (const user of story.people) {
      const liked = (await ctx.redis.zrange(keys.likes(user), 0, "-1")) as TweetId[];
      const retweeted = await ctx.redis.hgetall(keys.retweets(user));
      const reactionTo = await reactionsOf(story, user);
      const retweetIds: string[] = [];
      for (const { id } of alive) {
        const retweetId = retweeted[id] as TweetId | undefined;
        const truth = { liked: liked.includes(id), retweeted: retweetId !== undefined };
        const { liked: likes = truth.liked, retweeted: retweets = truth.retweeted } = {
          liked: story.known.get(`like ${user} ${id}`),
          retweeted: story.known.get(`retweet ${user} ${id}`),
        };
        expect(truth).toEqual({ liked: likes, retweeted: retweets });
        expect(reactionTo(id)).toEqual({ ...truth, bookmarked: false });
        if (truth.liked) likers.get(id)?.add(user);
        if (retweetId === undefined) continue;
        retweeters.get(id)?.add(user);
        retweetIds.push(retweetId);
        expect(await findTweet(ctx, retweetId)).toMatchObject({ retweetOf: { tweet: id } });
      }
      await expectTabs(ctx, user, { story, living, liked, retweetIds });
    }

    for (const { id } of alive) {
      const replies = await readAll((before) => repliesTo(ctx, id, { ...anybody, before }));
      const expected = alive.filter(({ replyTo }) => replyTo === id);
      expect(sorted(replies.map(({ tweet }) => tweet.id))).toEqual(sorted(idsOf(expected)));
      const lists = { likes: likers.get(id) ?? [], retweets: retweeters.get(id) ?? [] };
      for (const did of ["likes", "retweets"] as const) {
        const people = await readAll((before) =>
          peopleWhoReacted(ctx, did, id, { ...anybody, before }),
        );
        expect(sorted(people.map((user) => user.id))).toEqual(sorted(lists[did]));
      }
      const counts = (await readCounts(freshProcess(ctx), [id])).get(id);
      expect(counts).toEqual({
        replies: await ctx.redis.zcard(keys.tweetReplies(id)),
        retweets: await ctx.redis.zcard(keys.tweetRetweets(id)),
        likes: await ctx.redis.zcard(keys.tweetLikes(id)),
      });
      expect(counts?.replies).toBe(expected.length);
    }
  }
});

function idsOf(tweets: { id: TweetId }[]): TweetId[] {
  return tweets.map(({ id }) => id);
}

async function expectTabs(
  ctx: Ctx,
  user: UserId,
  truth: {
    story: ReactionsModel;
    living: Set<TweetId>;
    liked: TweetId[];
    retweetIds: string[];
  },
): Promise<void> {
  const { story, living, liked, retweetIds } = truth;
  const own = story.tweets.filter(({ id, author }) => author === user && living.has(id));
  const authorOf = (wanted: TweetId | undefined) =>
    story.tweets.find(({ id }) => id === wanted)?.author;
  const toSelf = own.filter(({ replyTo }) => [undefined, user].includes(authorOf(replyTo)));
  const tab = async (feed: typeof userFeed) => {
    const items = await readAll((before) => feed(ctx, user, { ...anybody, before }));
    return sorted(items.map(({ tweet, retweet }) => (retweet ?? tweet).id));
  };
  expect(await tab(userFeed)).toEqual(sorted([...idsOf(toSelf), ...retweetIds]));
  expect(await tab(repliesFeed)).toEqual(sorted([...idsOf(own), ...retweetIds]));
  expect(await tab(likesFeed)).toEqual(sorted(liked.filter((id) => living.has(id))));
}
