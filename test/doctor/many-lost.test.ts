import { afterAll, beforeAll, expect, it } from "vitest";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { deeds } from "../../src/doctor/facts.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { findTweet } from "../../src/domain/tweets/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../support/actors/people.ts";
import { finishJobs, runDoctor } from "../support/world/doctor.ts";
import { removeKeys } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";

let world: World;
let people: UserId[];
const tweets: TweetId[] = [];
beforeAll(async () => {
  world = await createWorld({});
  const { ctx } = world;
  people = await newPeople(ctx, 14);
  for (const author of people) tweets.push(await postAndDeliver(ctx, author, "hello"));
  await finishJobs(world);
  const keepsake = people[0] as UserId;
  await ctx.redis.hset(keys.recoveryCodes(keepsake), "a code", "unused");
});
afterAll(() => world.close());

/** As if the node with these keys of the users had come back empty. */
const lose = async (users: UserId[]) => {
  const lost = users.flatMap((user) => [keys.user(user), ...deeds.map((name) => keys[name](user))]);
  await removeKeys(world.ctx.redis, ...lost);
};
const standing = async (ids: TweetId[]) =>
  (await Promise.all(ids.map((id) => findTweet(world.ctx, id)))).filter(Boolean).length;

it("the doctor keeps what is left of many users without an account, and removes it if it is told to", async () => {
  const { ctx } = world;
  const [lost, others] = [people.slice(0, 12), people.slice(12)];
  const [fan, liked] = [others[0] as UserId, tweets[0] as TweetId];
  await likeTweet(ctx, fan, liked);
  const again = await retweet(ctx, fan, liked);
  await finishJobs(world);
  await lose(lost);
  await removeKeys(ctx.redis, keys.tweet(liked));
  const { findings, notes } = await runDoctor(world, { repair: true });
  expect(await standing(tweets)).toBe(13);
  // It is right again once the tweet is back.
  expect(await ctx.redis.zscore(keys.likes(fan), liked)).not.toBeNull();
  expect(await ctx.redis.hget(keys.retweets(fan), liked)).toBe(again);
  expect(await findTweet(ctx, again as TweetId)).toBeDefined();
  expect(notes.join()).toContain("12 of 14 users have data, but no account");
  expect(await world.ctx.redis.exists(keys.recoveryCodes(people[0] as UserId))).toBe(1);
  for (const kind of ["tweet-orphaned", "left-behind"])
    expect(findings.find((one) => one.kind === kind)).toMatchObject({
      repair: "needs a decision",
      repaired: false,
    });
  await runDoctor(world, { repair: true, removeMany: true });
  expect(await standing(tweets)).toBe(others.length);
  expect(await world.ctx.redis.exists(keys.recoveryCodes(people[0] as UserId))).toBe(0);
});
