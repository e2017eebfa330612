import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { pageSize } from "../../../src/domain/page.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { buryTweet } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  readGlobalPage,
  readHomePage,
  newPeople,
  readAll,
  readHomeIds,
  postAndDeliver,
  storedHome,
  readUserPage,
} from "../../support/actors/people.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const idsOf = (tweets: Tweet[]) => tweets.map((tweet) => tweet.id);

describe("feeds", () => {
  let world: World;
  let reader: UserId;
  let author: UserId;
  beforeAll(async () => {
    world = await createWorld({ timelineCap: 400 }, { workers: false });
  });
  beforeEach(async () => {
    await world.ctx.redis.del(keys.globalTimeline);
    [reader, author] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    await follow(world.ctx, { follower: reader, followee: author });
  });
  afterAll(() => world.close());

  /** Newest first. */
  async function sayMany(count: number): Promise<TweetId[]> {
    const ids: TweetId[] = [];
    for (let nth = 0; nth < count; nth += 1)
      ids.unshift(await postAndDeliver(world.ctx, author, `${nth}`));
    return ids;
  }

  /** Gone, but still listed everywhere. */
  async function bury(tweets: TweetId[]): Promise<void> {
    for (const tweet of tweets) await buryTweet(world.ctx, tweet, 1);
  }

  it("feeds fill their pages although deleted tweets are still listed", async () => {
    const ids = await sayMany(180);
    const doomed = ids.slice(10, 140);
    await bury(doomed);
    const kept = ids.filter((id) => !doomed.includes(id));
    for (const read of [
      () => readHomePage(world.ctx, reader),
      () => readUserPage(world.ctx, author),
      () => readGlobalPage(world.ctx),
    ])
      expect(idsOf((await read()).items)).toEqual(kept.slice(0, pageSize));
  });

  it("feeds remove entries that they do not show", async () => {
    const ids = await sayMany(8);
    await bury(ids.slice(2, 4));
    await readHomeIds(world.ctx, reader);
    await readUserPage(world.ctx, author);
    await readGlobalPage(world.ctx);
    expect(await countTweets(world.ctx, author)).toBe(6);
    expect(await world.ctx.redis.zcard(keys.globalTimeline)).toBe(6);
    expect(await storedHome(world.ctx, reader)).toHaveLength(2 * (6 + 1));
  });

  it("feeds continue after a page with only deleted tweets", async () => {
    const ids = await sayMany(5);
    // More than one reading of a page is ready to skip.
    const ghosts = Array.from({ length: 5000 }, (_, nth) => 10_000_000 + nth);
    await exec(world.ctx.redis, [
      ["zadd", keys.userTimeline(author), ...ghosts.flatMap((id) => [Date.now() * 1000 + id, id])],
    ]);
    const first = await readUserPage(world.ctx, author);
    expect(first.items).toEqual([]);
    expect(first.older).toBeGreaterThan(0);
    const all = await readAll((before) => readUserPage(world.ctx, author, before));
    expect(idsOf(all)).toEqual(ids);
  });

  it("feeds end at the last tweet, also when the last page is exactly full", async () => {
    const ids = await sayMany(pageSize);
    const page = await readUserPage(world.ctx, author);
    expect(idsOf(page.items)).toEqual(ids);
    expect(page.older).toBeUndefined();
    await postAndDeliver(world.ctx, author, "one more");
    const { older } = await readUserPage(world.ctx, author);
    expect(idsOf((await readUserPage(world.ctx, author, older)).items)).toEqual(ids.slice(-1));
  });

  it("home shows no stored tweet of a user who is not followed", async () => {
    const [stranger] = (await newPeople(world.ctx, 1)) as [UserId];
    const strange = await postAndDeliver(world.ctx, stranger, "who?");
    await world.ctx.redis.zadd(keys.homeTimeline(reader), Date.now() * 1000, strange);
    expect(await readHomeIds(world.ctx, reader)).toEqual([]);
    expect(await storedHome(world.ctx, reader)).toEqual(["floor", "0"]);
  });

  it("home shows no stored reply to a user who is not followed", async () => {
    const [stranger] = (await newPeople(world.ctx, 1)) as [UserId];
    const replyTo = await postAndDeliver(world.ctx, stranger, "who?");
    const reply = await postTweet(world.ctx, author, { text: "me", replyTo });
    await world.ctx.redis.zadd(keys.homeTimeline(reader), Date.now() * 1000, reply);
    expect(await readHomeIds(world.ctx, reader)).toEqual([]);
    expect(await storedHome(world.ctx, reader)).toEqual(["floor", "0"]);
  });
});
