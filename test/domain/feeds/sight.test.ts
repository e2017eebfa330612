import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../../src/domain/actions/block.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import { findFeedItem, repliesTo } from "../../../src/domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { findTweets, parseQuery } from "../../../src/domain/search/find-tweets.ts";
import { trendingTags } from "../../../src/domain/search/trending.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { audiences, type Audience } from "../../../src/domain/users/choices.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  deliverAll,
  newPeople,
  readGlobalPage,
  readHomeIds,
  readUserPage,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

type Four = [UserId, UserId, UserId, UserId];

describe("whom a tweet is for", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  /** An author, a follower, one who is mentioned and a stranger. */
  async function newCast() {
    const [author, follower, mentioned, stranger] = (await newPeople(world.ctx, 4)) as Four;
    await follow(world.ctx, { follower, followee: author });
    return { author, follower, mentioned, stranger };
  }

  const nameOf = async (user: UserId) =>
    (await world.ctx.redis.hget(keys.user(user), "name")) ?? "";

  async function post(author: UserId, mentioned: UserId, audience: Audience, more = {}) {
    const text = `@${await nameOf(mentioned)} a word for ${audience}`;
    const id = await postTweet(world.ctx, author, { text, audience, ...more });
    await deliverAll(world.ctx, id);
    return id;
  }

  /** Who of these sees the tweet on its own page; "nobody" is a signed-out reader. */
  async function readersOf(id: TweetId, people: Record<string, UserId>) {
    const seen: string[] = [];
    for (const [role, user] of [...Object.entries(people), ["nobody", undefined] as const]) {
      const viewer = user === undefined ? undefined : { id: user };
      if ((await findFeedItem(world.ctx, viewer, id)) !== undefined) seen.push(role);
    }
    return seen;
  }

  const everyone = ["author", "follower", "mentioned", "stranger", "nobody"];
  const followers = ["author", "follower", "mentioned"];
  const seenBy = {
    public: everyone,
    unlisted: everyone,
    followers,
    mentioned: ["author", "mentioned"],
  };

  it.each(audiences)("a tweet for %s is seen by these alone", async (audience) => {
    const cast = await newCast();
    const id = await post(cast.author, cast.mentioned, audience);
    expect(await readersOf(id, cast)).toEqual(seenBy[audience]);
  });

  it.each(["public", "unlisted"] as const)(
    "protecting an account hides its %s tweets from strangers at once, and opens them again",
    async (audience) => {
      const cast = await newCast();
      const id = await post(cast.author, cast.mentioned, audience);
      await world.ctx.redis.hset(keys.user(cast.author), { protected: "1" });
      expect(await readersOf(id, cast)).toEqual(followers);
      await world.ctx.redis.hset(keys.user(cast.author), { protected: "" });
      expect(await readersOf(id, cast)).toEqual(everyone);
    },
  );

  it("a removed follower and a blocked one see nothing from that moment", async () => {
    const cast = await newCast();
    const id = await post(cast.author, cast.mentioned, "followers");
    await unfollow(world.ctx, { follower: cast.follower, followee: cast.author });
    expect(await readersOf(id, cast)).toEqual(["author", "mentioned"]);
    await block(world.ctx, { blocker: cast.author, blocked: cast.mentioned });
    expect(await readersOf(id, cast)).toEqual(["author"]);
  });

  it("a tweet that is not public is in no public list, and a message in no timeline", async () => {
    const { author, follower, mentioned } = await newCast();
    const ids = new Map<Audience, TweetId>();
    for (const audience of audiences) ids.set(audience, await post(author, mentioned, audience));
    const idsFor = (some: readonly Audience[]) => some.map((audience) => ids.get(audience));
    const listed = new Set((await readGlobalPage(world.ctx)).items.map(({ id }) => id));
    expect(idsFor(audiences).filter((id) => id && listed.has(id))).toEqual(idsFor(["public"]));
    for (const reader of [author, follower])
      expect(await readHomeIds(world.ctx, reader)).toEqual(
        idsFor(["followers", "unlisted", "public"]),
      );
    const profile = (await readUserPage(world.ctx, author)).items.map(({ id }) => id);
    expect(profile).toEqual(idsFor(["unlisted", "public"]));
  });

  it("search finds for each reader what the reader may see, unlisted tweets only for their author, and no messages", async () => {
    const { author, follower, mentioned, stranger } = await newCast();
    for (const audience of audiences) await post(author, mentioned, audience);
    const found = async (user: UserId | undefined) => {
      const viewer = user === undefined ? undefined : { id: user };
      const query = parseQuery(`word from:${await nameOf(author)}`);
      const { items } = await findTweets(world.ctx, query, { viewer });
      return items.map(({ tweet }) => tweet.audience ?? "public");
    };
    expect(await found(author)).toEqual(["followers", "unlisted", "public"]);
    expect(await found(follower)).toEqual(["followers", "public"]);
    expect(await found(stranger)).toEqual(["public"]);
    expect(await found(undefined)).toEqual(["public"]);
  });

  it("a hashtag of a tweet that is not public is no trend", async () => {
    const [author] = (await newPeople(world.ctx, 1)) as [UserId];
    for (const audience of audiences) {
      const id = await postTweet(world.ctx, author, { text: `#for${audience}`, audience });
      await deliverAll(world.ctx, id);
    }
    world.pass(120_000);
    const tags = (await trendingTags(world.ctx)).map(({ tag }) => tag);
    expect(tags.filter((tag) => tag.startsWith("for"))).toEqual(["forpublic"]);
  });

  it("a reply is for no more people than what it answers", async () => {
    const { author, follower, mentioned } = await newCast();
    const answered = await post(author, mentioned, "followers");
    const reply = await postTweet(world.ctx, follower, { text: "a reply", replyTo: answered });
    expect((await getTweet(world.ctx, reply)).audience).toBe("followers");
    await world.ctx.redis.hset(keys.user(author), { protected: "1" });
    const open = await post(author, mentioned, "public");
    const other = await postTweet(world.ctx, follower, { text: "a reply", replyTo: open });
    expect((await getTweet(world.ctx, other)).audience).toBe("followers");
  });

  it("a reply to a message goes to all of its people", async () => {
    const { author, follower, mentioned, stranger } = await newCast();
    const message = await post(author, mentioned, "mentioned", { people: [follower, mentioned] });
    const reply = await postTweet(world.ctx, mentioned, { text: "hello", replyTo: message });
    await deliverAll(world.ctx, reply);
    expect(await readersOf(reply, { author, follower, mentioned, stranger })).toEqual([
      "author",
      "follower",
      "mentioned",
    ]);
  });

  it("a message has at most twenty people", async () => {
    const [author, ...people] = (await newPeople(world.ctx, 21)) as [UserId, ...UserId[]];
    const input = { text: "hello", audience: "mentioned" } as const;
    await expect(postTweet(world.ctx, author, { ...input, people })).rejects.toThrow(Invalid);
    const fewer = people.slice(1);
    await expect(postTweet(world.ctx, author, { ...input, people: fewer })).resolves.toBeDefined();
  });

  it("nobody learns from a count that there is a hidden reply", async () => {
    const { author, follower, mentioned, stranger } = await newCast();
    const answered = await post(author, mentioned, "public");
    for (const audience of ["followers", "mentioned"] as const) {
      const input = { text: `a reply for ${audience}`, replyTo: answered, audience };
      await deliverAll(world.ctx, await postTweet(world.ctx, follower, input));
    }
    await world.ctx.redis.hset(keys.user(mentioned), { protected: "1" });
    const input = { text: "closed", replyTo: answered };
    await deliverAll(world.ctx, await postTweet(world.ctx, mentioned, input));
    expect((await readCounts(world.ctx, [answered])).get(answered)?.replies).toBe(0);
    const repliesFor = async (id: UserId) =>
      (await repliesTo(world.ctx, answered, { viewer: { id } })).items.length;
    expect(await repliesFor(author)).toBe(3);
    expect(await repliesFor(stranger)).toBe(0);
  });

  it("a stranger can neither like nor answer nor retweet a hidden tweet, as if it did not exist", async () => {
    const { author, mentioned, stranger } = await newCast();
    const id = await post(author, mentioned, "followers");
    await expect(likeTweet(world.ctx, stranger, id)).rejects.toThrow(NotFound);
    await expect(unlikeTweet(world.ctx, stranger, id)).resolves.toBeUndefined();
    await expect(retweet(world.ctx, stranger, id)).rejects.toThrow(NotFound);
    const reply = postTweet(world.ctx, stranger, { text: "a reply", replyTo: id });
    await expect(reply).rejects.toMatchObject({ problems: { form: "reply.gone" } });
  });

  it("only what everyone may see is retweeted by others and quoted; an author may retweet an own tweet for followers", async () => {
    const { author, follower, mentioned } = await newCast();
    const id = await post(author, mentioned, "followers");
    await expect(retweet(world.ctx, follower, id)).rejects.toThrow(Invalid);
    expect(await retweet(world.ctx, author, id)).toBeDefined();
    const quote = await postTweet(world.ctx, follower, { text: "a link", quoteOf: id });
    expect((await getTweet(world.ctx, quote)).quoteOf).toBeUndefined();
  });

  it("an author limits who may reply", async () => {
    const { author, follower, mentioned, stranger } = await newCast();
    await follow(world.ctx, { follower: author, followee: follower });
    const replyBy = async (user: UserId, replyTo: TweetId) =>
      await postTweet(world.ctx, user, { text: "a reply", replyTo }).then(
        () => "posted",
        (error: unknown) => (error instanceof Invalid ? error.problems["form"] : error),
      );
    const followed = await post(author, mentioned, "public", { repliesFrom: "followed" });
    expect(await replyBy(follower, followed)).toBe("posted");
    expect(await replyBy(mentioned, followed)).toBe("posted");
    expect(await replyBy(stranger, followed)).toBe("reply.limited");
    const few = await post(author, mentioned, "public", { repliesFrom: "mentioned" });
    expect(await replyBy(follower, few)).toBe("reply.limited");
    expect(await replyBy(mentioned, few)).toBe("posted");
    expect(await replyBy(author, few)).toBe("posted");
  });
});
