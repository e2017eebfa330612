import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { notificationsFeed } from "../../../src/domain/notifications/grouped.ts";
import { recorded } from "../../../src/domain/scope.ts";
import { mergeFollowed } from "../../../src/domain/timelines/home.ts";
import { keptWhenCut } from "../../../src/domain/timelines/home-store.ts";
import { buryTweet, recallTweetsById } from "../../../src/domain/tweets/store.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import {
  expireHome,
  newPeople,
  postAndDeliver,
  readGlobalPage,
  readHomePage,
  readUserPage,
  storedHome,
} from "../../support/actors/people.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  type World,
} from "../../support/world/world.ts";

const reading = async <Value>(work: () => Promise<Value>) => await recorded(undefined, work);
const idsOf = ({ items }: { items: { id: TweetId }[] }) => items.map(({ id }) => id);

describe("a process that has not heard yet of what was written", () => {
  let world: World;
  let redis: RedisClient;
  let memory: Memory;
  let there: Ctx;
  let [reader, author] = ["", ""] as unknown as [UserId, UserId];
  /** Values and replies by their reading or command. */
  const heard = new Map<string, unknown>();
  /** The same as they were when the news stopped; undefined: the news comes. */
  let former: Map<string, unknown> | undefined;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    redis = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(redis, 5000);
    memory = await openMemory(redis, world.ctx.config);
    there = contextWithDeadlines({ ...world.ctx, redis, memory: lagging(memory) });
  });
  beforeEach(async () => {
    former = undefined;
    await world.ctx.redis.del(keys.globalTimeline);
    [reader, author] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(async () => {
    memory.close();
    redis.disconnect();
    await world.close();
  });

  const remember = async (name: string, answer: unknown) => {
    if (former?.has(name) === true) return former.get(name);
    const value = await answer;
    if (former === undefined) heard.set(name, value);
    return value;
  };

  /** A memory whose news is held back, until a caller waits for it. */
  function lagging(whole: Memory): Memory {
    return {
      ...whole,
      async read(from, kind, subjects, recording) {
        const values = await whole.read(from, kind, subjects, recording);
        const names = subjects.map((one) => `${kind.key(one)} ${kind.command.join(" ")}`);
        const before = names.map((name, nth) => remember(name, values[nth]));
        return (await Promise.all(before)) as typeof values;
      },
      ask: (from, command, recording) =>
        remember(command.join(" "), whole.ask(from, command, recording)),
      async settled() {
        await whole.settled();
        former = undefined;
      },
    };
  }

  const stopNews = () => {
    former = new Map(heard);
  };

  /** A tweet of the author that was asked for before it was written. */
  async function postUnheard(): Promise<TweetId> {
    const next = String(1 + Number(await world.ctx.redis.get(keys.tweetIds))) as TweetId;
    expect(await reading(() => recallTweetsById(there, [next]))).toEqual(new Map());
    stopNews();
    expect(await postAndDeliver(world.ctx, author, "new")).toBe(next);
    return next;
  }

  it("a new tweet stays in all lists", async () => {
    await follow(world.ctx, { follower: reader, followee: author });
    for (const read of [
      (ctx: Ctx) => readUserPage(ctx, author),
      (ctx: Ctx) => readGlobalPage(ctx),
      (ctx: Ctx) => readHomePage(ctx, reader),
    ]) {
      const tweet = await postUnheard();
      await reading(() => read(there));
      for (const list of [keys.userTimeline(author), keys.globalTimeline])
        expect(await world.ctx.redis.zscore(list, tweet)).not.toBeNull();
      expect(idsOf(await read(world.ctx))).toContain(tweet);
      expect(former).toBeUndefined();
    }
  });

  it("tweets of a new followee stay in the home timeline", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "hello");
    await reading(() => readHomePage(there, reader));
    stopNews();
    await follow(world.ctx, { follower: reader, followee: author });
    // Another part of the list, which it has not read yet.
    await reading(() => readHomePage(there, reader, 1e16));
    expect(await world.ctx.redis.zscore(keys.homeTimeline(reader), tweet)).not.toBeNull();
    expect(former).toBeUndefined();
  });

  it("a notification of a new tweet stays", async () => {
    const tweet = await postUnheard();
    await likeTweet(world.ctx, reader, tweet);
    await reading(async () => notificationsFeed(there, (await findUser(there, author)) as User));
    expect(await world.ctx.redis.zcard(keys.notifications(author))).toBe(1);
  });

  it("a home timeline is filled with what Redis has", async () => {
    await follow(world.ctx, { follower: reader, followee: author });
    await expireHome(world.ctx, reader);
    const limit = keptWhenCut(there.config.timelineCap) - 1;
    await reading(() => mergeFollowed(there, reader, { before: undefined, limit }));
    stopNews();
    const tweet = await postAndDeliver(world.ctx, author, "new");
    await reading(() => readHomePage(there, reader));
    expect(await storedHome(world.ctx, reader)).toContain(tweet);
  });

  it("what is gone is removed", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "short");
    await reading(() => readUserPage(there, author));
    await buryTweet(world.ctx, tweet, 1);
    await there.memory.settled();
    await reading(() => readUserPage(there, author));
    expect(await world.ctx.redis.zscore(keys.userTimeline(author), tweet)).toBeNull();
  });
});
