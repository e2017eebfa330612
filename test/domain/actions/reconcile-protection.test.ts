import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Chores, Ctx } from "../../../src/context.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { peopleWhoReacted } from "../../../src/domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { notificationsFeed } from "../../../src/domain/notifications/grouped.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { chooseAudiences } from "../../../src/domain/users/settings.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("what protected accounts answer and retweet", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const userOf = async (id: UserId) => (await findUser(world.ctx, id)) as User;
  const countsOf = async (id: TweetId) => {
    await world.ctx.memory.settled();
    return (await readCounts(world.ctx, [id])).get(id);
  };

  /** Chooses, and runs all that was promised for now, in its order. */
  async function protect(id: UserId, isOn: boolean): Promise<void> {
    const promised: [name: keyof Chores, data: Chores[keyof Chores]][] = [];
    const chore: Ctx["jobs"]["chore"] = async (name, data, when = "now") => {
      if (when === "now") promised.push([name, data]);
    };
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore } };
    await chooseAudiences(ctx, await userOf(id), { protected: isOn });
    for (const [name, data] of promised) await runChore(ctx, name, data);
  }

  it("a retweet by a protected account is known to its followers alone", async () => {
    const { ctx } = world;
    const [author, shy, friend, stranger] = (await newPeople(ctx, 4)) as [
      UserId,
      UserId,
      UserId,
      UserId,
    ];
    await follow(ctx, { follower: friend, followee: shy });
    await protect(shy, true);
    const tweet = await postAndDeliver(ctx, author, "hello");
    await retweet(ctx, shy, tweet);
    const namesFor = async (id: UserId | undefined) => {
      const viewer = id === undefined ? undefined : { id };
      const { items } = await peopleWhoReacted(ctx, "retweets", tweet, { viewer });
      return items.map((user) => user.id);
    };
    const noticesOf = async (id: UserId) =>
      (await notificationsFeed(ctx, await userOf(id))).items.map(({ kind }) => kind);
    for (const one of [author, stranger, undefined]) expect(await namesFor(one)).toEqual([]);
    for (const one of [shy, friend]) expect(await namesFor(one)).toEqual([shy]);
    expect(await countsOf(tweet)).toMatchObject({ retweets: 0 });
    expect(await noticesOf(author)).toEqual([]);
    await protect(shy, false);
    for (const one of [author, undefined]) expect(await namesFor(one)).toEqual([shy]);
    expect(await countsOf(tweet)).toMatchObject({ retweets: 1 });
    expect(await noticesOf(author)).toEqual(["retweet"]);
    await protect(shy, true);
    await unretweet(ctx, shy, tweet);
    expect(await countsOf(tweet)).toMatchObject({ retweets: 0 });
    expect(await namesFor(friend)).toEqual([]);
  });

  it("an account that becomes protected is counted nowhere any more, and again once it is open", async () => {
    const { ctx } = world;
    const [author, other, loud] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const tweets: TweetId[] = [];
    for (let nth = 0; nth < 60; nth += 1)
      tweets.push(await postTweet(ctx, author, { text: `${nth}` }));
    for (const replyTo of tweets) {
      await postTweet(ctx, loud, { text: "an answer", replyTo });
      await retweet(ctx, loud, replyTo);
    }
    const [first] = tweets as [TweetId];
    await postTweet(ctx, other, { text: "mine", replyTo: first });
    await retweet(ctx, other, first);
    const all = async () => {
      const counts = await Promise.all(tweets.map(countsOf));
      return [counts[0], ...new Set(counts.slice(1).map((one) => JSON.stringify(one)))];
    };
    const one = JSON.stringify({ replies: 1, retweets: 1, likes: 0 });
    const none = JSON.stringify({ replies: 0, retweets: 0, likes: 0 });
    expect(await all()).toEqual([{ replies: 2, retweets: 2, likes: 0 }, one]);
    await protect(loud, true);
    expect(await all()).toEqual([{ replies: 1, retweets: 1, likes: 0 }, none]);
    await protect(loud, false);
    expect(await all()).toEqual([{ replies: 2, retweets: 2, likes: 0 }, one]);
  });

  it("choices that leave the protection as it is promise no count", async () => {
    const [id] = (await newPeople(world.ctx, 1)) as [UserId];
    const names: string[] = [];
    const chore = async (name: string) => void names.push(name);
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore } };
    await chooseAudiences(ctx, await userOf(id), { audience: "unlisted" });
    await chooseAudiences(ctx, await userOf(id), { protected: false });
    expect(names).not.toContain("reconcile-protection");
    await chooseAudiences(ctx, await userOf(id), { protected: true });
    expect(names.filter((name) => name === "reconcile-protection")).toHaveLength(2);
  });

  it("a count is promised for what the protection is by then, not for what it was when its user was read", async () => {
    const [id] = (await newPeople(world.ctx, 1)) as [UserId];
    await chooseAudiences(world.ctx, await userOf(id), { protected: true });
    const readBefore = await userOf(id);
    await chooseAudiences(world.ctx, readBefore, { protected: false });
    const names: string[] = [];
    const chore = async (name: string) => void names.push(name);
    const ctx = { ...world.ctx, jobs: { ...world.ctx.jobs, chore } };
    await chooseAudiences(ctx, readBefore, { protected: true });
    expect(names).toContain("reconcile-protection");
  });
});
