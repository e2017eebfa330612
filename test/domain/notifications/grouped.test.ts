import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import {
  type Action,
  notificationsAfter,
  markRead,
} from "../../../src/domain/notifications/store.ts";
import { recorded } from "../../../src/domain/scope.ts";
import { Recording } from "../../../src/redis/memory/recording.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { countUnreadGroups, notificationsFeed } from "../../../src/domain/notifications/grouped.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { buryTweet } from "../../../src/domain/tweets/store.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  deliverAll,
  newPeople,
  newPerson,
  readAll,
  postAndDeliver,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("grouped notifications", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function look(id: UserId): Promise<User> {
    const user = await findUser(world.ctx, id);
    if (user === undefined) throw new Error("nobody");
    return user;
  }

  async function listOf(id: UserId) {
    const viewer = await look(id);
    return await readAll((before) => notificationsFeed(world.ctx, viewer, before));
  }

  const unreadOf = async (id: UserId) => await countUnreadGroups(world.ctx, await look(id));

  it("a notification shows the tweet that its tweet quotes", async () => {
    const { ctx } = world;
    const [me, friend] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const quoted = await postAndDeliver(ctx, friend, "quoted");
    const mine = await postAndDeliver(ctx, me, "mine");
    const reply = await postTweet(ctx, friend, { text: "see", replyTo: mine, quoteOf: quoted });
    await deliverAll(ctx, reply);
    const [told] = await listOf(me);
    expect(told?.item?.quote?.text).toBe("quoted");
  });

  it("a notification is removed if its tweet or its user is gone", async () => {
    const { ctx } = world;
    const [me, friend, leaver] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const [kept, lost] = [
      await postAndDeliver(ctx, me, "kept"),
      await postAndDeliver(ctx, me, "lost"),
    ];
    for (const tweet of [kept, lost])
      for (const person of [friend, leaver]) await likeTweet(ctx, person, tweet);
    await buryTweet(ctx, lost, 1);
    await ctx.redis.del(keys.user(leaver));
    // This process forgets people after a moment.
    await findUser(ctx, leaver);
    const stored = async () => await notificationsAfter(ctx, me, 0);
    expect(await stored()).toHaveLength(4);
    await vi.waitFor(async () => {
      expect(await listOf(me)).toMatchObject([{ kind: "like", tweet: kept, actors: [friend] }]);
    }, 5000);
    expect(await stored()).toHaveLength(1);
    expect(await unreadOf(me)).toBe(1);
  });

  it("notifications of a muted user are hidden until the unmute", async () => {
    const { ctx } = world;
    const [me, friend] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await likeTweet(ctx, friend, await postAndDeliver(ctx, me, "hello"));
    await ctx.redis.zadd(keys.mutes(me), 1, friend);
    expect([await listOf(me), await unreadOf(me)]).toEqual([[], 0]);
    await ctx.redis.del(keys.mutes(me));
    expect([(await listOf(me)).length, await unreadOf(me)]).toEqual([1, 1]);
  });

  it("counting unread notifications sends no command while nothing changes", async () => {
    const { ctx } = world;
    const [me, friend] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await likeTweet(ctx, friend, await postAndDeliver(ctx, me, "hello"));
    const viewer = await look(me);
    const count = async () => {
      const recording = new Recording(ctx.now());
      expect(await recorded(recording, async () => await countUnreadGroups(ctx, viewer))).toBe(1);
    };
    await count();
    const { misses } = ctx.memory.stats();
    for (let time = 0; time < 5; time += 1) await count();
    expect(ctx.memory.stats().misses).toBe(misses);
  });

  it("the unread count equals the number of new items in the list, whatever happened", async () => {
    const { ctx } = world;
    const step = fc.record({
      verb: fc.constantFrom(
        "like",
        "unlike",
        "retweet",
        "unretweet",
        "follow",
        "unfollow",
        "reply",
        "mention",
        "delete",
        "mute",
        "unmute",
        "suspend",
        "reinstate",
        "read",
      ),
      who: fc.nat(2),
      tweet: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const me = await newPerson(ctx);
        const people = await newPeople(ctx, 3);
        const { name } = await look(me);
        const tweets = [
          await postAndDeliver(ctx, me, "1"),
          await postAndDeliver(ctx, me, "2"),
          await postAndDeliver(ctx, me, "3"),
        ];
        const written: { author: UserId; id: TweetId }[] = [];
        const write = async (author: UserId, text: string, replyTo?: TweetId) => {
          const id = await postTweet(ctx, author, { text, replyTo });
          await deliverAll(ctx, id);
          await deliverAll(ctx, id);
          written.push({ author, id });
        };
        for (const { verb, who, tweet } of steps) {
          world.pass(7 * 3_600_000);
          const [actor, id] = [people[who], tweets[tweet]] as [UserId, TweetId];
          const edge = { follower: actor, followee: me };
          const verbs: Record<string, () => Promise<unknown>> = {
            like: () => likeTweet(ctx, actor, id),
            unlike: () => unlikeTweet(ctx, actor, id),
            retweet: () => retweet(ctx, actor, id),
            unretweet: () => unretweet(ctx, actor, id),
            follow: () => follow(ctx, edge),
            unfollow: () => unfollow(ctx, edge),
            reply: () => write(actor, "so", id),
            mention: () => write(actor, `hi @${name}`),
            mute: () => ctx.redis.zadd(keys.mutes(me), 1, actor),
            unmute: () => ctx.redis.zrem(keys.mutes(me), actor),
            suspend: async () => await suspendUser(ctx, await look(actor)),
            reinstate: async () => await reinstateUser(ctx, await look(actor)),
          };
          const last = written.pop();
          if (verb === "delete" && last !== undefined) await deleteTweet(ctx, last.author, last.id);
          else if (last !== undefined) written.push(last);
          if (verb === "read") {
            const [newest] = await listOf(me);
            if (newest !== undefined) await markRead(ctx, await look(me), newest.stamp);
          }
          for (let time = 0; time < 2; time += 1) await verbs[verb]?.();
          // Of a suspension the number learns within a minute, or with the next change.
          const list = await listOf(me);
          expect(await unreadOf(me)).toBe(list.filter(({ unread }) => unread).length);
        }
        // No user is muted any more, so everything is shown.
        await ctx.redis.del(keys.mutes(me));
        const truth = async ({ kind, tweet, actor }: Action) => {
          if (kind === "follow") return await ctx.redis.zscore(keys.followings(actor), me);
          if (tweet === undefined) return null;
          if (kind === "like") return await ctx.redis.zscore(keys.likes(actor), tweet);
          if (kind === "retweet") return await ctx.redis.hget(keys.retweets(actor), tweet);
          return written.find(({ id }) => id === tweet) ?? null;
        };
        for (const { kind, tweet, actors } of await listOf(me))
          for (const actor of actors)
            expect([kind, await truth({ kind, tweet, actor })]).not.toEqual([kind, null]);
      }),
      runs(15),
    );
  });
});
