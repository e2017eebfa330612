import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import {
  digestOfAddress,
  reconcileAddress,
  replaceAddress,
} from "../../../src/domain/accounts/mail.ts";
import { block, reconcileBlock, unblock } from "../../../src/domain/actions/block.ts";
import { follow, unfollow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { likeTweet, reconcileLike, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { reconcileRetweet, retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { allHomeEntries } from "../../../src/domain/timelines/home-store.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { reconcileAvatar } from "../../../src/domain/users/avatars.ts";
import { readUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { freshProcess, pausingAfter } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Scene {
  user: UserId;
  other: UserId;
  /** By the other user. */
  tweet: TweetId;
}

/** A truth that a verb writes, its opposite takes back, and a job copies. */
interface Copied {
  write(ctx: Ctx, scene: Scene): Promise<unknown>;
  takeBack(ctx: Ctx, scene: Scene): Promise<unknown>;
  job(ctx: Ctx, scene: Scene): Promise<unknown>;
  /** What the copies say; the same with and without the truth only if these differ. */
  copies(ctx: Ctx, scene: Scene): Promise<unknown[]>;
}

const address = "late@example.org";
const digest = digestOfAddress(address);
const mail = (from: string, to: string) => ({ from, to, language: "" });
const noticesTo = async ({ redis }: Ctx, user: UserId) =>
  await redis.zrange(keys.notifications(user), 0, "-1");

const copied: Record<string, Copied> = {
  follow: {
    write: (ctx, { user, other }) => follow(ctx, { follower: user, followee: other }),
    takeBack: (ctx, { user, other }) => unfollow(ctx, { follower: user, followee: other }),
    job: (ctx, { user, other }) => reconcileFollow(ctx, { follower: user, followee: other }),
    copies: async (ctx, { user, other }) => [
      await ctx.redis.zscore(keys.followers(other), user),
      await noticesTo(ctx, other),
      (await allHomeEntries(ctx, user)).map(({ id }) => id),
    ],
  },
  block: {
    write: (ctx, { user, other }) => block(ctx, { blocker: user, blocked: other }),
    takeBack: (ctx, { user, other }) => unblock(ctx, { blocker: user, blocked: other }),
    job: (ctx, { user, other }) => reconcileBlock(ctx, { blocker: user, blocked: other }),
    copies: async (ctx, { user, other }) => [await ctx.redis.zscore(keys.blockedBy(other), user)],
  },
  like: {
    write: (ctx, { user, tweet }) => likeTweet(ctx, user, tweet),
    takeBack: (ctx, { user, tweet }) => unlikeTweet(ctx, user, tweet),
    job: reconcileLike,
    copies: async (ctx, { user, other, tweet }) => [
      await ctx.redis.zscore(keys.tweetLikes(tweet), user),
      await ctx.redis.hget(keys.tweet(tweet), "likes"),
      await noticesTo(ctx, other),
    ],
  },
  retweet: {
    write: (ctx, { user, tweet }) => retweet(ctx, user, tweet),
    takeBack: (ctx, { user, tweet }) => unretweet(ctx, user, tweet),
    job: reconcileRetweet,
    copies: async (ctx, { user, other, tweet }) => [
      await ctx.redis.zscore(keys.tweetRetweets(tweet), user),
      await ctx.redis.hget(keys.tweet(tweet), "retweets"),
      await ctx.redis.zrange(keys.userTimeline(user), 0, "-1"),
      await noticesTo(ctx, other),
    ],
  },
  "mail address": {
    async write(ctx, { user }) {
      await ctx.redis.hsetnx(keys.user(user), "mail", "");
      await replaceAddress(ctx, user, mail("", address));
    },
    takeBack: (ctx, { user }) => replaceAddress(ctx, user, mail(address, "")),
    job: (ctx, { user }) => reconcileAddress(ctx, { user, digest }),
    copies: async (ctx, { user }) => [await ctx.redis.zscore(keys.mailUsers(digest), user)],
  },
  avatar: {
    async write(ctx, { user }) {
      await ctx.redis.set(keys.avatar(user), "a picture");
      await reconcileAvatar(ctx, user);
    },
    async takeBack(ctx, { user }) {
      await ctx.redis.del(keys.avatar(user));
      await reconcileAvatar(ctx, user);
    },
    job: (ctx, { user }) => reconcileAvatar(ctx, user),
    copies: async (ctx, { user }) => [(await readUser(ctx, user))?.avatar],
  },
};

describe("a job that stood still", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const newScene = async (): Promise<Scene> => {
    const { ctx } = world;
    const [user, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await prepareHome(ctx, user, "new");
    return { user, other, tweet: await postAndDeliver(ctx, other, "hello") };
  };

  const cases = Object.keys(copied).flatMap((name) => [
    { name, from: "write", to: "takeBack" } as const,
    { name, from: "takeBack", to: "write" } as const,
  ]);
  it.each(cases)(
    "a job that stood still leaves the copies of a $name as they would be without it, after $to",
    async ({ name, from, to }) => {
      const { ctx } = world;
      const subject = copied[name] as Copied;
      let isPaused = true;
      for (let commands = 0; isPaused; commands += 1) {
        isPaused = false;
        const scene = await newScene();
        await subject.write(ctx, scene);
        if (from === "takeBack") await subject.takeBack(ctx, scene);
        let expected: unknown[] = [];
        const pausing = pausingAfter(ctx, commands, async () => {
          isPaused = true;
          await subject[to](ctx, scene);
          expected = await subject.copies(freshProcess(ctx), scene);
        });
        await subject.job(pausing, scene);
        const copies = await subject.copies(freshProcess(ctx), scene);
        expect(isPaused ? copies : []).toEqual(expected);
        await subject.takeBack(ctx, scene);
      }
    },
  );
});
