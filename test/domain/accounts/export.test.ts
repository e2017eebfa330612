import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  exportFollowsCsv,
  exportLines,
  exportListsCsv,
  exportTweetsCsv,
} from "../../../src/domain/accounts/export.ts";
import type { Ctx } from "../../../src/context.ts";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { bookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { addPasskey } from "../../../src/domain/factors/passkeys.ts";
import { addToList, makeList } from "../../../src/domain/graph/lists.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import { openSession } from "../../../src/domain/users/sessions.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { rowsIn, textOf } from "../../support/data/account-files.ts";
import { endingAfter } from "../../support/world/ending-process.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const site = "https://suzume.example";

describe("an export", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const userOf = async (id: UserId) => (await findUser(ctx, id)) as User;

  it("an export holds everything about a user, and no secret", async () => {
    const [me, friend, fan] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    await follow(ctx, { follower: me, followee: friend });
    await follow(ctx, { follower: fan, followee: me });
    await ctx.redis.zadd(keys.mutes(me), 5e15, fan);
    await ctx.redis.zadd(keys.followRequests(me), 5e15, friend);
    await ctx.redis.zadd(keys.requested(me), 5e15, fan);
    await ctx.redis.zadd(keys.timedMutes(me), 5e15, friend);
    const theirs = await postAndDeliver(ctx, friend, "their tweet");
    const mine = await postAndDeliver(ctx, me, 'mine, with "quotes"\nand 雀');
    const reply = await postTweet(ctx, me, { text: "a reply", replyTo: theirs });
    await retweet(ctx, me, theirs);
    await likeTweet(ctx, me, theirs);
    await bookmarkTweet(ctx, me, theirs);
    await ctx.redis.zadd(keys.blocks(me), 5e15, friend);
    await muteWord(ctx, me, { word: "Noise", days: undefined });
    const { id: list } = await makeList(ctx, me, { title: "Close, friends", replies: "none" });
    await addToList(ctx, { owner: me, list, member: friend });
    await openSession(ctx, me, "session-id-that-is-secret");
    await addPasskey(ctx, me, {
      id: "id-that-is-secret",
      name: "Phone",
      publicKey: "key-that-is-secret",
      counter: 0,
      transports: [],
      synced: false,
    });
    const app = { secret: "sealed-key-that-is-secret", created_at: 5e15, step: 1 };
    await ctx.redis.hset(keys.totp(me), app);
    await ctx.redis.hset(keys.user(me), { pass: "hash-that-is-secret", language: "ja" });

    const text = await textOf(exportLines(ctx, { user: await userOf(me), site }));
    expect(text).not.toContain("secret");
    const [self, other, third] = [await userOf(me), await userOf(friend), await userOf(fan)];
    const rows = rowsIn(text);
    expect(rows).toMatchObject({
      export: [{ format: "suzume-export", version: 2 }],
      profile: [{ site, name: self.name, fullname: self.fullname, bio: "", language: "ja" }],
      follow: [{ name: other.name, fullname: other.fullname }],
      follower: [{ name: third.name }],
      follow_request: [{ name: other.name }],
      requested_follow: [{ name: third.name }],
      mute: [{ name: third.name }],
      timed_mute: [{ name: other.name, until: "2128-06-11T08:53:20.000000Z" }],
      block: [{ name: other.name }],
      passkey: [{ name: "Phone" }],
      authenticator_app: [{ since: "2128-06-11T08:53:20.000000Z" }],
      word: [{ word: "noise" }],
      list: [{ title: "Close, friends", replies: "none", members: [other.name] }],
      like: [{ url: `${site}/tweets/${theirs}`, author: other.name }],
      bookmark: [{ url: `${site}/tweets/${theirs}`, author: other.name }],
      end: [{}],
    });
    expect(rows["tweet"]).toMatchObject([
      { text: "", retweet_of: `${site}/tweets/${theirs}` },
      { id: reply, text: "a reply", reply_to: `${site}/tweets/${theirs}` },
      { id: mine, text: 'mine, with "quotes"\nand 雀' },
    ]);
  });

  it("an export of a new user is valid", async () => {
    const [me] = (await newPeople(ctx, 1)) as [UserId];
    const user = await userOf(me);
    const text = await textOf(exportLines(ctx, { user, site }));
    expect(Object.keys(rowsIn(text))).toEqual(["export", "profile", "end"]);
    const csv = await textOf(exportTweetsCsv(ctx, { user, site }));
    expect(csv).toBe(
      '\uFEFF"url","created_at","text","reply_to","retweet_of","warning","language","audience"\r\n',
    );
  });

  it("an export has tables of tweets, follows and lists", async () => {
    const [me, friend] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: me, followee: friend });
    const tweet = await postAndDeliver(ctx, me, "=HYPERLINK(1)");
    const about = { user: await userOf(me), site };
    const tweets = await textOf(exportTweetsCsv(ctx, about));
    expect(tweets).toMatch(
      new RegExp(
        `\r\n"${site}/tweets/${tweet}","20[^,]*Z","'=HYPERLINK\\(1\\)","","","","","public"\r\n$`,
      ),
    );
    const follows = await textOf(exportFollowsCsv(ctx, about));
    const { name, fullname } = await userOf(friend);
    expect(follows).toContain(`\r\n"followings","${name}","${fullname}","20`);
    const { id: list } = await makeList(ctx, me, { title: "Close, friends", replies: "list" });
    await addToList(ctx, { owner: me, list, member: friend });
    const lists = await textOf(exportListsCsv(ctx, about));
    expect(lists).toBe(`"Close, friends","${name}@suzume.example"\r\n`);
  });

  it("a large export comes in bounded pieces, each read when the client asks for it", async () => {
    const [me] = (await newPeople(ctx, 1)) as [UserId];
    const count = 10_000;
    for (let first = 0; first < count; first += 1000)
      await exec(
        ctx.redis,
        Array.from({ length: 1000 }, (_, nth) => first + nth + 1_000_000).flatMap((id) => [
          ["hset", keys.tweet(tweetId(id)), "text", `tweet ${id}`, "user_id", me, "created_at", id],
          ["zadd", keys.userTimeline(me), id, id],
        ]),
      );
    const user = await userOf(me);
    const sizes: number[] = [];
    let text = "";
    for await (const piece of exportLines(ctx, { user, site })) {
      sizes.push(piece.length);
      text += piece;
    }
    const { tweet: tweets = [] } = rowsIn(text);
    expect(tweets.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: count }, (_, nth) => 1_000_000 + count - 1 - nth),
    );
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    expect(sizes.length).toBeGreaterThan(count / 500);

    // Head, profile and the first page of tweets cost no second page.
    const pieces = exportLines(endingAfter(ctx, 700), { user, site });
    for (let taken = 0; taken < 3; taken += 1) await pieces.next();
    await pieces.return(undefined);
  });
});
