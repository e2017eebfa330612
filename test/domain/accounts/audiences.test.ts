import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { exportTweetsCsv } from "../../../src/domain/accounts/export.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { userEntries } from "../../../src/domain/timelines/store.ts";
import { readTweets } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, newPerson } from "../../support/actors/people.ts";
import {
  exportFile,
  exportFileWith,
  importFile,
  rowsIn,
  siteUrl,
  textOf,
  timeAt,
} from "../../support/data/account-files.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const tweetRow = (text: string, audience: string, nth: number) => {
  const words = { text: `${text} #kept`, audience, replies_from: "mentioned" };
  return { ...words, created_at: timeAt(nth) };
};

describe("audiences in files of an account", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const tweetsOf = async (author: UserId): Promise<Tweet[]> => {
    const entries = await userEntries(ctx, author, { before: undefined, limit: 50 });
    const ids = entries.map(({ id }) => id as Tweet["id"]);
    return (await readTweets(ctx, ids)).filter((tweet) => tweet !== undefined);
  };

  it("an export names the audience, and who may reply", async () => {
    const me = await newPerson(ctx);
    await postTweet(ctx, me, { text: "all" });
    await postTweet(ctx, me, { text: "some", audience: "followers", repliesFrom: "followed" });
    const rows = rowsIn(await exportFile(ctx, me))["tweet"];
    expect(rows).toMatchObject([
      { text: "some", audience: "followers", replies_from: "followed" },
      { text: "all" },
    ]);
    expect(rows?.[1]).not.toHaveProperty("audience");
    const user = (await findUser(ctx, me)) as User;
    const csv = await textOf(exportTweetsCsv(ctx, { user, site: siteUrl }));
    const cells = csv
      .trim()
      .split("\r\n")
      .map((row) => [row.split(",")[2], row.split(",").at(-1)]);
    expect(cells).toEqual([
      ['"text"', '"audience"'],
      ['"some"', '"followers"'],
      ['"all"', '"public"'],
    ]);
  });

  it("the tweets of a protected account stay for followers wherever they are imported", async () => {
    const [me, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await postTweet(ctx, me, { text: "protected" });
    await ctx.redis.hset(keys.user(me), "protected", "1");
    await ctx.memory.settled();
    const file = await exportFile(ctx, me);
    world.pass(2 * 24 * 60 * 60 * 1000);
    await importFile(ctx, other, file);
    expect(await tweetsOf(other)).toMatchObject([{ text: "protected", audience: "followers" }]);
  });

  it("an import keeps audiences, and is in no list for everyone", async () => {
    const me = await newPerson(ctx);
    const progress = await importFile(
      ctx,
      me,
      exportFileWith({
        tweet: [
          tweetRow("one", "unlisted", 4),
          tweetRow("two", "followers", 3),
          tweetRow("three", "mentioned", 2),
          tweetRow("four", "a word of later", 1),
        ],
      }),
    );
    expect(progress.skipped).toEqual({ private: 2 });
    expect(await tweetsOf(me)).toMatchObject([
      { text: "one #kept", audience: "unlisted", repliesFrom: "mentioned" },
      { text: "two #kept", audience: "followers", repliesFrom: "mentioned" },
    ]);
    expect(await ctx.redis.exists(keys.tag("kept"))).toBe(0);
  });

  it("an export of likes leaves out what is hidden from the user by now", async () => {
    const [me, author] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: me, followee: author });
    const closed = await postTweet(ctx, author, { text: "closed", audience: "followers" });
    const open = await postTweet(ctx, author, { text: "open" });
    for (const tweet of [closed, open]) await likeTweet(ctx, me, tweet);
    const urls = async () => rowsIn(await exportFile(ctx, me))["like"]?.map(({ url }) => url);
    const [first, second] = [open, closed].map((id) => `${siteUrl}/tweets/${id}`);
    expect(await urls()).toEqual([first, second]);
    await unfollow(ctx, { follower: me, followee: author });
    await ctx.memory.settled();
    expect(await urls()).toEqual([first]);
  });
});
