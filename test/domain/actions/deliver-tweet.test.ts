import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { addToTimelines } from "../../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { deliverTweet, spreadTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { buryTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { dump } from "../../support/world/dump.ts";
import {
  deliverAll,
  readGlobalPage,
  expireHome,
  newPeople,
  newPerson,
  readHomeIds,
  storedHome,
} from "../../support/actors/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";

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
    expect((await readGlobalPage(world.ctx)).items.map((tweet) => tweet.id)).not.toContain(id);
  }

  it("a delivery reaches all followers", async () => {
    const id = await post();
    await deliverAll(world.ctx, id);
    for (const follower of followers) expect(await readHomeIds(world.ctx, follower)).toContain(id);
  });

  it("delivering a tweet twice changes nothing", async () => {
    const id = await post();
    await deliverAll(world.ctx, id);
    const once = await dump(world.ctx);
    await deliverAll(world.ctx, id);
    expect(await dump(world.ctx)).toEqual(once);
  });

  it("a delivery leaves all but the first followers to a second job", async () => {
    const star = await newPerson(world.ctx);
    const crowd = await newPeople(world.ctx, 50);
    const flat = crowd.flatMap((follower, index) => [index + 1, follower]);
    await world.ctx.redis.zadd(keys.followers(star), ...flat);
    const id = await postTweet(world.ctx, star, { text: "to many" });
    const promised: [TweetId, number][] = [];
    const spreadTweetLater = async (tweet: TweetId, after: number) =>
      void promised.push([tweet, after]);
    const jobs = { ...world.ctx.jobs, spreadTweet: spreadTweetLater };
    await deliverAll({ ...world.ctx, jobs }, id);
    expect(promised).toEqual([[id, 40]]);
    const reached = async () =>
      (await Promise.all(crowd.map((user) => storedHome(world.ctx, user)))).map((home) =>
        home.includes(id),
      );
    expect(await reached()).toEqual(crowd.map((_, index) => index < 40));
    await spreadTweet(world.ctx, id, { done: 40, save: async () => {} });
    expect(await reached()).toEqual(crowd.map(() => true));
  });

  it("a delivery continues from its progress", async () => {
    const id = await post();
    const stamps = await world.ctx.redis.zrange(keys.followers(author), 0, "-1", "WITHSCORES");
    const done = Number(stamps[5]);
    await deliverTweet(world.ctx, id, { done, save: async () => {} });
    const homes = await Promise.all(followers.map((user) => storedHome(world.ctx, user)));
    const before = new Set(stamps.filter((_, index) => index % 2 === 0).slice(0, 3));
    expect(homes.map((home) => home.includes(id))).toEqual(
      followers.map((follower) => !before.has(follower)),
    );
  });

  it("a delivery creates no home timeline for a user who is away", async () => {
    const [away] = followers as [UserId];
    const id = await post();
    await expireHome(world.ctx, away);
    await deliverAll(world.ctx, id);
    expect(await storedHome(world.ctx, away)).toEqual([]);
    expect(await readHomeIds(world.ctx, away)).toContain(id);
  });

  it("delivering a tweet that never existed does nothing", async () => {
    const before = await dump(world.ctx);
    await deliverAll(world.ctx, tweetId(999_999));
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("a tweet deleted before its delivery is not delivered", async () => {
    const id = await post();
    await deleteTweet(world.ctx, author, id);
    const before = await dump(world.ctx);
    await deliverAll(world.ctx, id);
    expect(await dump(world.ctx)).toEqual(before);
    await expectGone(id);
  });

  it("a tweet deleted during its delivery is taken back", async () => {
    const id = await post();
    await Promise.all([deliverAll(world.ctx, id), deleteTweet(world.ctx, author, id)]);
    await expectGone(id);
  });

  it("a retried delivery takes back what it listed of a tweet deleted meanwhile", async () => {
    const id = await post();
    const { createdAt: stamp } = await getTweet(world.ctx, id);
    await buryTweet(world.ctx, id, stamp + 1);
    // The delivery listed it just after that, and then its process ended.
    await addToTimelines(world.ctx, { tweet: id, author, stamp });
    await deliverAll(world.ctx, id);
    await expectGone(id);
  });
});
