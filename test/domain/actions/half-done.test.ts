import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { repliesFeed } from "../../../src/domain/feeds/feeds.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  Ended,
  endingAfter,
  freshProcess,
  pausingAfter,
} from "../../support/world/ending-process.ts";
import { type PromisedJobs, recordJobs } from "../../support/world/promised-jobs.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const verbs = { likeTweet, unlikeTweet, retweet, unretweet };
type Name = keyof typeof verbs;
const names = Object.keys(verbs) as Name[];

describe("half-done reactions", () => {
  let world: World;
  let ctx: Ctx;
  let users: [UserId, UserId];
  let tweet: TweetId;
  let promised: PromisedJobs["promised"];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx, promised } = recordJobs(world.ctx));
  });
  beforeEach(async () => {
    promised.length = 0;
    users = (await newPeople(ctx, 2)) as [UserId, UserId];
    tweet = await postAndDeliver(ctx, users[0], "hello");
  });
  afterAll(() => world.close());

  /** So that there is something to undo. */
  async function prepare(name: Name, user: UserId): Promise<void> {
    if (name === "unlikeTweet") await likeTweet(ctx, user, tweet);
    if (name === "unretweet") await retweet(ctx, user, tweet);
  }

  async function expectCounts(): Promise<void> {
    expect((await readCounts(freshProcess(ctx), [tweet])).get(tweet)).toEqual({
      replies: 0,
      retweets: await ctx.redis.zcard(keys.tweetRetweets(tweet)),
      likes: await ctx.redis.zcard(keys.tweetLikes(tweet)),
    });
  }

  async function expectAgreement(): Promise<void> {
    await expectCounts();
    for (const user of users) {
      const isIn = async (key: string, id: string) => (await ctx.redis.zscore(key, id)) !== null;
      expect(await isIn(keys.tweetLikes(tweet), user)).toBe(await isIn(keys.likes(user), tweet));
      const id = await ctx.redis.hget(keys.retweets(user), tweet);
      expect(await isIn(keys.tweetRetweets(tweet), user)).toBe(id !== null);
      const { items } = await repliesFeed(freshProcess(ctx), user, { viewer: undefined });
      const retweets = items.flatMap((item) => item.retweet?.id ?? []);
      expect(retweets).toEqual(id === null ? [] : [id]);
    }
  }

  it.each(names)(
    "all places agree once the jobs ran, wherever a process dies: %s",
    async (name) => {
      const [, user] = users;
      for (let commands = 0, isEnded = true; isEnded; commands += 1) {
        await prepare(name, user);
        promised.length = 0;
        isEnded = await verbs[name](endingAfter(ctx, commands), user, tweet).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Ended) return true;
            throw error;
          },
        );
        for (const settle of promised) await settle();
        await expectAgreement();
        await unlikeTweet(ctx, user, tweet);
        await unretweet(ctx, user, tweet);
      }
    },
  );

  const pairs = [["likeTweet", "unlikeTweet"] as const, ["retweet", "unretweet"] as const].flatMap(
    (opposites) => opposites.flatMap((name) => opposites.map((other) => [name, other] as const)),
  );
  it.each(pairs)(
    "all places agree wherever one action interrupts another: %s by %s",
    async (name, other) => {
      for (const by of users)
        for (let commands = 0, isPaused = true; isPaused; commands += 1) {
          await prepare(name, users[1]);
          await prepare(other, by);
          isPaused = false;
          const pausing = pausingAfter(ctx, commands, async () => {
            isPaused = true;
            await verbs[other](ctx, by, tweet);
          });
          await verbs[name](pausing, users[1], tweet);
          await expectCounts();
          for (const settle of promised.splice(0)) await settle();
          await expectAgreement();
        }
    },
  );
});
