import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/timelines/follow.ts";
import { placeTweet } from "../../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../../src/domain/tweets/delete.ts";
import { deliverTweet } from "../../../src/domain/tweets/deliver.ts";
import { globalFeed } from "../../../src/domain/tweets/feeds.ts";
import { postTweet } from "../../../src/domain/tweets/post.ts";
import { buryTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { dump } from "../../support/dump.ts";
import {
  deliverAll,
  expireHome,
  newPeople,
  readHomeIds,
  storedHome,
} from "../../support/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world.ts";

describe("delivering a tweet", () => {
  let world: World;
  let author: UserId;
  let followers: UserId[];
  beforeAll(async () => {
    world = await createWorld({ fanoutPage: 2 }, { workers: false });
    [author, ...followers] = (await newPeople(world.ctx, 6)) as [UserId, ...UserId[]];
    for (const follower of followers) await follow(world.ctx, { follower, followee: author });
  });
  afterAll(() => world.close());

  const post = () => postTweet(world.ctx, author, { text: "news" });

  async function expectGone(id: string): Promise<void> {
    const { redis } = world.ctx;
    expect(await redis.zscore(keys.userTimeline(author), id)).toBeNull();
    expect(await redis.zscore(keys.globalTimeline, id)).toBeNull();
    for (const user of [author, ...followers])
      expect(await readHomeIds(world.ctx, user)).not.toContain(id);
    // Reading has healed the home timelines too.
    for (const user of [author, ...followers])
      expect(await storedHome(world.ctx, user)).not.toContain(id);
    expect((await globalFeed(world.ctx)).items.map((tweet) => tweet.id)).not.toContain(id);
  }

  it("brings it to all followers", async () => {
    const id = await post();
    await deliverAll(world.ctx, id);
    for (const follower of followers) expect(await readHomeIds(world.ctx, follower)).toContain(id);
  });

  it("twice changes nothing", async () => {
    const id = await post();
    await deliverAll(world.ctx, id);
    const once = await dump(world.ctx);
    await deliverAll(world.ctx, id);
    expect(await dump(world.ctx)).toEqual(once);
  });

  it("goes on from its progress", async () => {
    const id = await post();
    let saved = 0;
    const crash = async (done: number) => {
      saved = done;
      throw new Error("crash");
    };
    await expect(deliverTweet(world.ctx, id, { done: 0, save: crash })).rejects.toThrow("crash");
    const [first, , , , last] = followers as [UserId, UserId, UserId, UserId, UserId];
    expect(await readHomeIds(world.ctx, first)).toContain(id);
    expect(await readHomeIds(world.ctx, last)).not.toContain(id);
    let pages = 0;
    const count = async () => void (pages += 1);
    await deliverTweet(world.ctx, id, { done: saved, save: count });
    expect(pages).toBe(2);
    expect(await readHomeIds(world.ctx, last)).toContain(id);
  });

  it("does not make a home timeline for somebody who is away", async () => {
    const [away] = followers as [UserId];
    const id = await post();
    await expireHome(world.ctx, away);
    await deliverAll(world.ctx, id);
    expect(await storedHome(world.ctx, away)).toEqual([]);
    expect(await readHomeIds(world.ctx, away)).toContain(id);
  });

  it("is content with a tweet that never was", async () => {
    const before = await dump(world.ctx);
    await deliverAll(world.ctx, tweetId(999_999));
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("brings nothing of a tweet that was deleted before", async () => {
    const id = await post();
    await deleteTweet(world.ctx, author, id);
    const before = await dump(world.ctx);
    await deliverAll(world.ctx, id);
    expect(await dump(world.ctx)).toEqual(before);
    await expectGone(id);
  });

  it("takes back a tweet that is deleted meanwhile", async () => {
    const id = await post();
    let pages = 0;
    const save = async () => {
      pages += 1;
      if (pages === 2) await deleteTweet(world.ctx, author, id);
    };
    await deliverTweet(world.ctx, id, { done: 0, save });
    await expectGone(id);
  });

  it("takes back, when it is tried again, what it listed of a tweet deleted meanwhile", async () => {
    const id = await post();
    const { createdAt: stamp } = await getTweet(world.ctx, id);
    await buryTweet(world.ctx, id, stamp + 1);
    // The delivery listed it just after that, and then its process ended.
    await placeTweet(world.ctx, { tweet: id, author, stamp });
    await deliverAll(world.ctx, id);
    await expectGone(id);
  });
});
