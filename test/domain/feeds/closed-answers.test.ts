import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { answeredBy } from "../../../src/domain/feeds/feed-items.ts";
import { ancestorsOf } from "../../../src/domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import type { Audience } from "../../../src/domain/users/choices.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("answers to a tweet that is hidden from the reader", () => {
  let world: World;
  /** Dan follows Carol, not Bob; Carol follows Bob, who answers Alice. */
  let [alice, bob, carol, dan]: UserId[] = [];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    [alice, bob, carol, dan] = await newPeople(world.ctx, 4);
    await follow(world.ctx, { follower: carol as UserId, followee: bob as UserId });
    await follow(world.ctx, { follower: dan as UserId, followee: carol as UserId });
  });
  afterAll(() => world.close());

  async function exchange(audience: Audience) {
    const { ctx } = world;
    const top = await postTweet(ctx, alice as UserId, { text: "open" });
    const middle = await postTweet(ctx, bob as UserId, { text: "b", replyTo: top, audience });
    const last = await postTweet(ctx, carol as UserId, { text: "c", replyTo: middle });
    return { top, middle, last };
  }

  /** What a user reads above a tweet, and as what it answers. */
  async function seenBy(user: UserId | undefined, id: TweetId) {
    const { ctx } = world;
    const viewer = user && (await getViewer(ctx, user));
    const tweet = await getTweet(ctx, id);
    const { items } = await ancestorsOf(ctx, viewer, tweet);
    const answered = (await answeredBy(ctx, viewer, [tweet]))(tweet);
    return {
      above: items.map((item) => (typeof item === "string" ? item : item.tweet.id)),
      answers: typeof answered === "object" ? answered.id : answered,
    };
  }

  it.each([["deleted"], ["deleted long ago"]])("one that is %s stays hidden", async (when) => {
    const { top, middle, last } = await exchange("followers");
    const hidden = { above: ["closed"], answers: "closed" };
    expect(await seenBy(dan, last)).toEqual(hidden);
    expect(await seenBy(carol, last)).toEqual({ above: [top, middle], answers: middle });
    await deleteTweet(world.ctx, bob as UserId, middle);
    if (when === "deleted long ago") await world.ctx.redis.del(keys.tweet(middle));
    expect(await seenBy(dan, last)).toEqual(hidden);
    const known = when === "deleted" ? [top, "gone"] : ["gone"];
    expect(await seenBy(carol, last)).toEqual({ above: known, answers: undefined });
    expect(await seenBy(bob, last)).toEqual({ above: known, answers: undefined });
  });

  it("one by an account that is protected by now is hidden, also when it was deleted long ago", async () => {
    const { top, middle, last } = await exchange("public");
    await deleteTweet(world.ctx, bob as UserId, middle);
    await world.ctx.redis.hset(keys.user(bob as UserId), "protected", "1");
    await world.ctx.memory.settled();
    const hidden = { above: ["closed"], answers: "closed" };
    for (const user of [dan, undefined]) expect(await seenBy(user, last)).toEqual(hidden);
    const known = { above: [top, "gone"], answers: undefined };
    expect(await seenBy(carol, last)).toEqual(known);
    await world.ctx.redis.del(keys.tweet(middle));
    for (const user of [dan, undefined]) expect(await seenBy(user, last)).toEqual(hidden);
    expect(await seenBy(carol, last)).toEqual({ ...known, above: ["gone"] });
  });

  it("one that was open is only gone", async () => {
    const { top, middle, last } = await exchange("public");
    await deleteTweet(world.ctx, bob as UserId, middle);
    for (const user of [dan, undefined])
      expect(await seenBy(user, last)).toEqual({ above: [top, "gone"], answers: undefined });
    await world.ctx.redis.del(keys.tweet(middle));
    for (const user of [dan, undefined])
      expect(await seenBy(user, last)).toEqual({ above: ["gone"], answers: undefined });
  });
});
