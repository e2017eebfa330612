import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { continueImport } from "../../../src/domain/accounts/import.ts";
import type { Ctx } from "../../../src/context.ts";
import type { ListId, TweetId, UserId } from "../../../src/domain/ids.ts";
import {
  followedTags,
  followersAmong,
  followTag,
  isFollowing,
} from "../../../src/domain/graph/follows.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { addToList, listsOf, makeList, membersOfList } from "../../../src/domain/graph/lists.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import {
  timeAt,
  exportFile,
  exportFileWith,
  importAll,
  importFile,
  fileTweets,
  startImport,
  lapseClaim,
} from "../../support/data/account-files.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import {
  expireHome,
  readHomePage,
  newPeople,
  newPerson,
  readAll,
  readHomeIds,
  postAndDeliver,
  readUserPage,
} from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const day = 24 * 60 * 60 * 1000;

describe("an import", () => {
  let world: World;
  let ctx: Ctx;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    ctx = world.ctx;
  });
  afterEach(() => world.close());
  const run = (user: UserId, file: Buffer) => importFile(ctx, user, file);
  const allBy = async (author: UserId) => {
    const tweets = await readAll((before) => readUserPage(ctx, author, before));
    return tweets.map(({ text, createdAt }) => ({ text, createdAt }));
  };
  const nameOf = async (id: UserId) => (await findUser(ctx, id))?.name ?? "";

  it("an import brings the tweets of an export into another account, in the same order", async () => {
    const [old, friend] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: old, followee: friend });
    for (let nth = 0; nth < 130; nth += 1) await postAndDeliver(ctx, old, `number ${nth} 雀`);
    await postAndDeliver(ctx, old, "the same words");
    await postAndDeliver(ctx, old, "the same words");
    await retweet(ctx, old, await postAndDeliver(ctx, friend, "theirs"));
    const replyTo = await postAndDeliver(ctx, friend, "?");
    await postTweet(ctx, old, { text: "a thought on that", replyTo });
    const { id: list } = await makeList(ctx, old, { title: "Friends", replies: "followed" });
    await addToList(ctx, { owner: old, list, member: friend });
    await followTag(ctx, old, "雀");
    const file = await exportFile(ctx, old);
    world.pass(day);

    const heir = await newPerson(ctx);
    const progress = await run(heir, file);
    expect(progress).toMatchObject({ items: 137, tweets: 133, follows: 1, lists: 1, known: 0 });
    expect(progress.skipped).toEqual({ retweet: 1 });
    const originals = (await allBy(old)).filter(({ text }) => text !== "theirs");
    const brought = await allBy(heir);
    expect(brought.filter(({ text }) => text !== "a thought on that")).toEqual(originals);
    expect(await isFollowing(ctx, { follower: heir, followee: friend })).toBeDefined();

    const lists = await listsOf(ctx, heir);
    expect(lists).toMatchObject([{ title: "Friends", replies: "followed" }]);
    expect(await membersOfList(ctx, heir, lists[0]?.id as ListId)).toEqual([friend]);
    expect(await followedTags(ctx, heir)).toEqual(["雀"]);

    // Nothing is made twice, for the new account or for the exported one.
    for (const who of [heir, old]) {
      const before = await allBy(who);
      const again = await run(who, file);
      expect(again).toMatchObject({ tweets: 0, follows: 0, known: 134 });
      expect(await allBy(who)).toEqual(before);
    }
  });

  it("imported tweets appear at their dates in every home, stored or rebuilt", async () => {
    const [author, reader, other] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    for (const followee of [author, other]) await follow(ctx, { follower: reader, followee });
    for (const who of [author, other]) await postAndDeliver(ctx, who, "news");
    await run(author, exportFileWith({ tweet: fileTweets("c", "b", "a") }));
    for (const who of [reader, author]) {
      const { items } = await readHomePage(ctx, who);
      expect(items.slice(-3).map(({ text }) => text)).toEqual(["c", "b", "a"]);
      const ids = await readHomeIds(ctx, who);
      await expireHome(ctx, who);
      expect(await readHomeIds(ctx, who)).toEqual(ids);
    }
  });

  it("an import sends no notifications; homes of followers show what a rebuilt home shows", async () => {
    await world.close();
    world = await createWorld({ timelineCap: 20 }, { workers: false });
    ({ ctx } = world);
    const texts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    const live = fc.integer({ min: 0, max: 30 });
    await fc.assert(
      fc.asyncProperty(texts, live, async (seconds, count) => {
        const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
        await follow(ctx, { follower: reader, followee: author });
        for (let nth = 0; nth < count; nth += 1)
          await postAndDeliver(ctx, nth % 2 ? author : reader, "live");
        const items = seconds.map((second) => ({ text: `${second}`, created_at: timeAt(second) }));
        await run(author, exportFileWith({ tweet: items }));
        const unique = new Set(seconds).size;
        expect(await countTweets(ctx, author)).toBe(Math.floor(count / 2) + unique);
        const ids = await readHomeIds(ctx, reader);
        expect(ids).toHaveLength(count + unique);
        await expireHome(ctx, reader);
        expect(new Set(await readHomeIds(ctx, reader))).toEqual(new Set(ids));
      }),
      runs(15),
    );
  }, 60_000);

  it("an import creates nothing twice, however often workers die", async () => {
    const friends = await newPeople(ctx, 2);
    const followings = await Promise.all(friends.map(async (id) => ({ name: await nameOf(id) })));
    const items = fileTweets(...Array.from({ length: 120 }, (_, nth) => `text ${nth}`));
    const file = exportFileWith({ follow: followings, tweet: items });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 4 }),
        async (ends) => {
          const [user, fan] = (await newPeople(ctx, 2)) as [UserId, UserId];
          await follow(ctx, { follower: fan, followee: user });
          await startImport(ctx, user, file);
          for (const end of ends) {
            await untilEnded(continueImport(endingAfter(ctx, end), user));
            await lapseClaim(ctx, user);
          }
          const progress = await importAll(ctx, user);
          expect(progress).toMatchObject({
            items: 122,
            tweets: 120,
            follows: 2,
            known: 0,
            skipped: {},
          });
          expect((await allBy(user)).map(({ text }) => text)).toEqual(
            items.map(({ text }) => text),
          );
          expect(await readHomeIds(ctx, fan)).toHaveLength(120);
          for (const followee of friends)
            expect((await followersAmong(ctx, followee, [user])).size).toBe(1);
        },
      ),
      runs(12),
    );
  }, 60_000);

  it("an import skips what it cannot take, and says why", async () => {
    const user = await newPerson(ctx);
    const file = exportFileWith({
      follow: [{ name: "nobody_here" }, { name: await nameOf(user) }, { nome: 1 }, null],
      tweet: [
        ...fileTweets("good"),
        { text: "", created_at: timeAt(5) },
        { text: "雀".repeat(281), created_at: timeAt(5) },
        { text: "tomorrow", created_at: new Date(ctx.now() + day).toISOString() },
        { text: "never", created_at: "the day before" },
        { text: "", created_at: timeAt(6), retweet_of: "https://suzume.example/tweets/1" },
        { text: ["a"], created_at: timeAt(7) },
        7,
        "text",
        null,
        [],
        { __proto__: null },
      ],
    });
    const progress = await run(user, file);
    expect(progress).toMatchObject({ items: 16, tweets: 1, follows: 0 });
    expect(progress.skipped).toEqual({ person: 2, malformed: 8, text: 2, date: 2, retweet: 1 });
    expect(await allBy(user)).toMatchObject([{ text: "good" }]);
  });

  it("an import does not bring back what was deleted here", async () => {
    const user = await newPerson(ctx);
    const file = exportFileWith({ tweet: fileTweets("kept", "regretted") });
    await run(user, file);
    const { items } = await readUserPage(ctx, user);
    await deleteTweet(ctx, user, items[1]?.id as TweetId);
    expect(await run(user, file)).toMatchObject({ tweets: 0, known: 1, skipped: { deleted: 1 } });
    expect(await allBy(user)).toMatchObject([{ text: "kept" }]);
  });
});
