import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { bigEntries, readBig } from "../../../src/domain/timelines/big.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { homeEntries } from "../../../src/domain/timelines/home.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { readingDeadline, recorded } from "../../../src/domain/scope.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  deliverAll,
  newPeople,
  newPerson,
  readHomeIds,
  postAndDeliver,
  storedHome,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a big account", () => {
  let world: World;
  let star: UserId;
  let fans: UserId[];
  beforeAll(async () => {
    world = await createWorld({ bigAccountFollowers: 2 }, { workers: false });
    [star, ...fans] = (await newPeople(world.ctx, 4)) as [UserId, ...UserId[]];
    for (const fan of fans) await follow(world.ctx, { follower: fan, followee: star });
  });
  afterAll(() => world.close());

  /** A user's home once every process had time to hear of changes. */
  async function home(user: UserId): Promise<TweetId[]> {
    world.pass(1000);
    return await readHomeIds(world.ctx, user);
  }

  it("followers see tweets of a big account that were not delivered", async () => {
    const tweet = await postAndDeliver(world.ctx, star, "hello, everybody");
    for (const fan of fans) {
      expect(await storedHome(world.ctx, fan)).not.toContain(tweet);
      expect(await home(fan)).toContain(tweet);
    }
    expect(await home(star)).toContain(tweet);
    expect(await home(await newPerson(world.ctx))).toEqual([]);
  });

  it("a request that ends early does not end the read that others share", async () => {
    await postAndDeliver(world.ctx, star, "read by two");
    world.pass(1000);
    const leaving = readingDeadline();
    const first = recorded(undefined, () => readBig(world.ctx), leaving);
    const second = recorded(undefined, () => readBig(world.ctx));
    leaving.passed = true;
    await first.catch(() => {});
    expect((await second).sorted.length).toBeGreaterThan(0);
  });

  it("a follower sees replies of a big account only to themselves and to users they follow", async () => {
    const [answerer, ...crowd] = (await newPeople(world.ctx, 4)) as [UserId, ...UserId[]];
    for (const fan of crowd) await follow(world.ctx, { follower: fan, followee: answerer });
    const [one, two] = crowd as [UserId, UserId];
    const question = await postAndDeliver(world.ctx, one, "who are you?");
    const answer = await postTweet(world.ctx, answerer, { text: "a star", replyTo: question });
    await deliverAll(world.ctx, answer);
    expect(await home(one)).toContain(answer);
    expect(await home(two)).not.toContain(answer);
    expect(await home(answerer)).toContain(answer);
    await follow(world.ctx, { follower: two, followee: one });
    expect(await home(two)).toContain(answer);
    await unfollow(world.ctx, { follower: two, followee: one });
    expect(await home(two)).not.toContain(answer);
  });

  it("tweets of big accounts are mixed with others in order", async () => {
    const [fan] = fans as [UserId];
    const ids: TweetId[] = [];
    for (const author of [star, fan, star, fan, fan, star])
      ids.unshift(await postAndDeliver(world.ctx, author, "…"));
    expect((await home(fan)).slice(0, 6)).toEqual(ids);
  });

  it("after an unfollow a big account is gone, after a follow it is complete", async () => {
    const fan = await newPerson(world.ctx);
    const edge = { follower: fan, followee: star };
    await follow(world.ctx, edge);
    const own = await world.ctx.redis.zrange(keys.userTimeline(star), 0, "-1", "REV");
    expect(await home(fan)).toEqual(own);
    await unfollow(world.ctx, edge);
    expect(await home(fan)).toEqual([]);
  });

  it("a big account that becomes small again is neither lost nor repeated", async () => {
    const [one, two, three] = fans as [UserId, UserId, UserId];
    const big = await postAndDeliver(world.ctx, star, "while big");
    await unfollow(world.ctx, { follower: three, followee: star });
    const small = await postAndDeliver(world.ctx, star, "while small");
    for (const fan of [one, two]) {
      expect(await storedHome(world.ctx, fan)).toContain(small);
      expect((await home(fan)).slice(0, 2)).toEqual([small, big]);
    }
    await follow(world.ctx, { follower: three, followee: star });
    expect((await home(three)).slice(0, 2)).toEqual([small, big]);
  });

  it("a deleted tweet of a big account is gone at once", async () => {
    const tweet = await postAndDeliver(world.ctx, star, "regretted");
    expect(await home(fans[0] as UserId)).toContain(tweet);
    await deleteTweet(world.ctx, star, tweet);
    expect(await readHomeIds(world.ctx, fans[0] as UserId)).not.toContain(tweet);
    expect(await home(fans[0] as UserId)).not.toContain(tweet);
  });

  it("a tweet of a big account that was also back-filled counts once, so that a page is full", async () => {
    const ctx = { ...world.ctx, config: { ...world.ctx.config, timelineCap: 10 } };
    const [author, reader, ...crowd] = (await newPeople(ctx, 5)) as [UserId, UserId, ...UserId[]];
    const ids: TweetId[] = [];
    for (let nth = 0; nth < 20; nth += 1)
      ids.unshift(await postAndDeliver(ctx, author, "while small"));
    for (const fan of crowd) await follow(ctx, { follower: fan, followee: author });
    for (let nth = 0; nth < 15; nth += 1)
      ids.unshift(await postAndDeliver(ctx, author, "while big"));
    await follow(ctx, { follower: reader, followee: author });
    world.pass(1000);
    for (const limit of [5, 9, 10, 14, 15, 16, 20, 30]) {
      const entries = await homeEntries(ctx, reader, { before: undefined, limit });
      expect(entries.map((entry) => entry.id)).toEqual(ids.slice(0, limit));
    }
  });

  it("a tweet of a big account that comes minutes late is shown below newer ones", async () => {
    const fan = fans[0] as UserId;
    world.pass(-300_000);
    const late = await postAndDeliver(world.ctx, star, "late");
    await world.ctx.redis.zrem(keys.bigTimeline, `${late}:${star}`);
    world.pass(300_000);
    const punctual = await postAndDeliver(world.ctx, star, "on time");
    expect(await home(fan)).toContain(punctual);
    const stamp = Number(await world.ctx.redis.zscore(keys.userTimeline(star), late));
    await world.ctx.redis.zadd(keys.bigTimeline, stamp, `${late}:${star}`);
    expect(await home(fan)).toContain(late);
  });

  it("below the cut of the common timeline paging continues in the account's own", async () => {
    const fan = fans[0] as UserId;
    const before = await home(fan);
    const others = Array.from({ length: 10_000 }, (_, nth) => [
      world.ctx.now() * 1000 + nth,
      `${500_000 + nth}:999`,
    ]).flat();
    await world.ctx.redis.zadd(keys.bigTimeline, ...others);
    world.pass(60_000);
    const newest = await postAndDeliver(world.ctx, star, "after the flood");
    world.pass(1000);
    expect((await readBig(world.ctx)).floor).toBeGreaterThan(0);
    expect(await world.ctx.redis.zcard(keys.bigTimeline)).toBeLessThanOrEqual(10_000);
    const range = { before: undefined, limit: 1000 };
    const known = await bigEntries(world.ctx, await readBig(world.ctx), fan, range);
    expect(known.map((entry) => entry.id)).toEqual([newest]);
    expect(await home(fan)).toEqual([newest, ...before]);
  });
});
