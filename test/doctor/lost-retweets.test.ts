import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../src/domain/actions/retweet.ts";
import { findTweet } from "../../src/domain/tweets/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { runDoctor, finishJobs } from "../support/world/doctor.ts";
import { newPeople } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** A failover may lose the entry in the user's list, and nothing else of the retweet. */
describe("lost retweets", () => {
  let world: World;
  let original: TweetId;
  let user: UserId;
  let lost: TweetId;
  beforeAll(async () => {
    world = await createWorld();
    const [author, fan] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    user = fan;
    original = await postTweet(world.ctx, author, { text: "worth to be read twice" });
  });
  afterAll(async () => world.close());

  async function loseEntry(): Promise<void> {
    lost = (await retweet(world.ctx, user, original)) as TweetId;
    await finishJobs(world);
    await world.ctx.redis.hdel(keys.retweets(user), original);
  }

  it("the doctor lists a lost retweet again", async () => {
    await loseEntry();
    await runDoctor(world, { repair: true });
    await finishJobs(world);
    expect(await world.ctx.redis.hget(keys.retweets(user), original)).toBe(lost);
    expect((await runDoctor(world)).findings).toEqual([]);
    await unretweet(world.ctx, user, original);
    await finishJobs(world);
  });

  it("the doctor removes a lost retweet that the user took back since", async () => {
    await loseEntry();
    await unretweet(world.ctx, user, original);
    await finishJobs(world);
    await runDoctor(world, { repair: true });
    await finishJobs(world);
    expect(await findTweet(world.ctx, lost)).toBeUndefined();
    expect(await world.ctx.redis.hget(keys.retweets(user), original)).toBeNull();
    expect((await runDoctor(world)).findings).toEqual([]);
  });
});
