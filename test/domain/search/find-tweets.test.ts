import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { pageSize } from "../../../src/domain/page.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import {
  findTweets,
  type AuthorFilter,
  parseQuery,
} from "../../../src/domain/search/find-tweets.ts";
import { indexedAs, unindexIfGone } from "../../../src/domain/search/index-tweet.ts";
import { sealStep } from "../../../src/domain/search/seal-tweets.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { createTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { foldName, findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { removeTweet, findTexts } from "./found-texts.ts";
import { deliverAll, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";

describe("the search for tweets", () => {
  let world: World;
  let people: UserId[];
  let names: string[];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    await emptyRedis(world.ctx.redis);
    people = await newPeople(world.ctx, 3);
    names = await namesOf(people);
  });
  afterAll(() => world.close());

  const namesOf = async (ids: UserId[]) =>
    await Promise.all(ids.map(async (id) => (await findUser(world.ctx, id))?.name ?? ""));

  const find = async (typed: string, viewer?: UserId, whose?: AuthorFilter) =>
    await findTexts(world.ctx, typed, viewer === undefined ? {} : { viewer, whose });

  const lists = async () => {
    const [words, tags] = await Promise.all(
      ["search:*", "tag*"].map((one) => findKeys(world.ctx.redis, one)),
    );
    return [...(words ?? []), ...(tags ?? [])];
  };

  it("search results page to the end, each page full", async () => {
    const [author = "" as UserId] = people;
    const all: string[] = [];
    for (let nth = 0; nth < 2 * pageSize + 7; nth += 1) {
      const text = `雀の歌 song number${nth}`;
      await postAndDeliver(world.ctx, author, text);
      all.unshift(text);
    }
    for (const typed of [
      "song",
      "雀の",
      "song 雀の歌",
      `from:${names[0]}`,
      `from:${names[0]} song`,
    ]) {
      expect(await find(typed)).toEqual(all);
      const first = await findTweets(world.ctx, parseQuery(typed), { viewer: undefined });
      expect(first.items).toHaveLength(pageSize);
      const second = await findTweets(world.ctx, parseQuery(typed), {
        viewer: undefined,
        before: first.older,
      });
      expect(second.items).toHaveLength(pageSize);
    }
    expect(await find("song number0")).toEqual(all.slice(-1));
  });

  it("search results lose no tweets with the same stamp", async () => {
    const [author = "" as UserId] = people;
    const all: string[] = [];
    for (let nth = 0; nth < pageSize + 20; nth += 1) {
      const text = `tied knot${nth}`;
      const id = tweetId(await world.ctx.redis.incr(keys.tweetIds));
      await createTweet(world.ctx, {
        id,
        author,
        text,
        createdAt: 5_000_000 + (nth < 40 ? nth : 40),
      });
      await deliverAll(world.ctx, id);
      all.push(text);
    }
    for (const typed of ["tied", `tied from:${names[0]}`])
      expect((await find(typed)).toSorted()).toEqual(all.toSorted());
  });

  it("a search finds replies, and no retweets", async () => {
    const [author = "" as UserId, other = "" as UserId] = people;
    const original = await postAndDeliver(world.ctx, author, "the first word");
    const { createdAt } = await getTweet(world.ctx, original);
    const ref = { tweet: original, author };
    for (const [text, refs] of [
      ["the second word", { replyTo: ref }],
      ["", { retweetOf: ref }],
    ] as const) {
      const id = tweetId(await world.ctx.redis.incr(keys.tweetIds));
      await createTweet(world.ctx, {
        id,
        author: other,
        text,
        createdAt: createdAt + Number(id),
        ...refs,
      });
      await deliverAll(world.ctx, id);
    }
    expect(await find("word")).toEqual(["the second word", "the first word"]);
    expect(await find(`from:${names[1]}`)).toEqual(["the second word"]);
  });

  it("a search finds nothing for an unknown author, two authors, or no words", async () => {
    const [author = "" as UserId] = people;
    await postAndDeliver(world.ctx, author, "word 雀 雀の");
    for (const typed of [
      "word from:nobody",
      "from:no-name",
      `from:${names[0]} from:${names[1]}`,
      "鳩",
      "",
      "🐦",
    ])
      expect([typed, await find(typed)]).toEqual([typed, []]);
    for (const typed of ["雀", "の", "words", '"word 雀"'])
      expect([typed, await find(typed)]).toEqual([typed, ["word 雀 雀の"]]);
    expect(await find(`word 雀 FROM:${foldName(names[0] ?? "").toUpperCase()}`)).toHaveLength(1);
    expect(await findTexts(world.ctx, "word", { whose: "mine" })).toEqual([]);
  });

  it("a search among followings uses the current followings", async () => {
    const [viewer = "" as UserId, author = "" as UserId] = people;
    await postAndDeliver(world.ctx, author, "hello");
    expect(await find("hello", viewer, "following")).toEqual([]);
    await follow(world.ctx, { follower: viewer, followee: author });
    expect(await find("hello", viewer, "following")).toEqual(["hello"]);
    await unfollow(world.ctx, { follower: viewer, followee: author });
    expect(await find("hello", viewer, "following")).toEqual([]);
  });

  it("search results hide blocked users, and still fill the pages", async () => {
    const [viewer = "" as UserId, author = "" as UserId, blocked = "" as UserId] = people;
    for (let nth = 0; nth < pageSize + 5; nth += 1) {
      await postAndDeliver(world.ctx, author, `seen ${nth}`);
      await postAndDeliver(world.ctx, blocked, `seen not ${nth}`);
    }
    await world.ctx.redis.zadd(keys.blocks(viewer), 1, blocked);
    const found = await find("seen", viewer);
    expect(found).toHaveLength(pageSize + 5);
    expect(found.every((text) => !text.includes("not"))).toBe(true);
  });

  it("the index keeps nothing of a deleted tweet, even if it is being indexed", async () => {
    const [author = "" as UserId] = people;
    const id = await postAndDeliver(world.ctx, author, "regretted 後悔した #sorry");
    expect(await lists()).not.toEqual([]);
    await removeTweet(world.ctx, id);
    expect(await lists()).toEqual([]);

    // It is gone once the delivery has read it.
    const doomed = await postTweet(world.ctx, author, { text: "meanwhile 後悔 #sorry" });
    const tweet = await getTweet(world.ctx, doomed);
    const followers = async () => {
      await deleteTweet(world.ctx, author, doomed);
      await unindexIfGone(world.ctx, indexedAs(tweet));
    };
    const slow = { ...world.ctx, config: { ...world.ctx.config } };
    Object.defineProperty(slow.config, "bigAccountFollowers", {
      get: () => {
        meanwhile ??= followers();
        return 1000;
      },
    });
    let meanwhile: Promise<void> | undefined;
    await deliverAll(slow, doomed);
    await meanwhile;
    expect(await lists()).toEqual([]);
  });

  it("the index keeps a tweet whose deletion was promised but did not happen", async () => {
    const [author = "" as UserId] = people;
    const id = await postAndDeliver(world.ctx, author, "still here");
    await unindexIfGone(world.ctx, indexedAs(await getTweet(world.ctx, id)));
    expect(await find("still")).toEqual(["still here"]);
  });

  it("a hashtag keeps a list of its newest 10,000 tweets, and a search finds older ones in their segment", async () => {
    const [author = "" as UserId] = people;
    const first = await postAndDeliver(world.ctx, author, "the first #common");
    await sealStep(world.ctx, { sizes: [Number(first)], age: 0 });
    await sealStep(world.ctx, { age: 0 });
    const ghosts = Array.from({ length: 10_000 }, (_, nth) => [Date.now() * 1000 + nth, 5e7 + nth]);
    await world.ctx.redis.zadd(keys.tag("common"), ...ghosts.flat());
    await postAndDeliver(world.ctx, author, "the last #common");
    expect(await world.ctx.redis.zcard(keys.tag("common"))).toBe(10_000);
    expect(await world.ctx.redis.zscore(keys.tag("common"), first)).toBeNull();
    expect(await find("#common the")).toEqual(["the last #common", "the first #common"]);
    expect(await world.ctx.redis.ttl(keys.tag("common"))).toBeGreaterThan(364 * 86_400);
  });
});
