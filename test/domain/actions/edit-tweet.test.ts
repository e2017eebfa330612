import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { reconcileEdit, workFor } from "../../../src/domain/actions/reconcile-edit.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { Forbidden, Invalid, NotFound } from "../../../src/domain/errors.ts";
import { tweetId, type TweetId, type UserId } from "../../../src/domain/ids.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { findTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { editsAtMost, historyOf } from "../../../src/domain/tweets/versions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { endingAfter, pausingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { recordJobs } from "../../support/world/promised-jobs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const minute = 60_000;

describe("editing a tweet", () => {
  let world: World;
  let author: UserId;
  let stranger: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [author, stranger] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const at = (minutes: number): Ctx => ({
    ...world.ctx,
    now: () => world.ctx.now() + minutes * minute,
  });
  const edit = (id: TweetId, text: string, ctx: Ctx = world.ctx, seen?: number) =>
    editTweet(ctx, author, id, { text, pictures: [], sensitive: false, seen });
  const textsOf = async (id: TweetId) =>
    (await historyOf(world.ctx, await getTweet(world.ctx, id))).map(({ text }) => text);

  it("an edit changes the text, marks the tweet, and keeps each version with its time", async () => {
    const id = await postAndDeliver(world.ctx, author, "frist");
    const posted = await getTweet(world.ctx, id);
    await edit(id, "first", at(5));
    await edit(id, "First!", at(10));
    const tweet = await getTweet(world.ctx, id);
    expect(tweet).toMatchObject({ text: "First!", createdAt: posted.createdAt });
    expect(tweet.editedAt).toBeGreaterThan(posted.createdAt + 9 * minute * 1000);
    const versions = await historyOf(world.ctx, tweet);
    expect(versions.map(({ text }) => text)).toEqual(["First!", "first", "frist"]);
    expect(versions[2]?.createdAt).toBe(posted.createdAt);
    expect(versions[0]?.createdAt).toBe(tweet.editedAt);
  });

  it("a tweet that is edited after it was read has each version once in its history", async () => {
    const id = await postAndDeliver(world.ctx, author, "one");
    await edit(id, "two");
    const readBefore = await getTweet(world.ctx, id);
    await edit(id, "three");
    const versions = await historyOf(world.ctx, readBefore);
    expect(versions.map(({ text }) => text)).toEqual(["two", "one"]);
    expect(await textsOf(id)).toEqual(["three", "two", "one"]);
  });

  it("an edit that changes nothing leaves no mark", async () => {
    const id = await postAndDeliver(world.ctx, author, "as it is");
    await edit(id, "  as it is ");
    expect((await getTweet(world.ctx, id)).editedAt).toBeUndefined();
  });

  it("a tweet can be edited for an hour only, or as long as the setting says", async () => {
    const id = await postAndDeliver(world.ctx, author, "in time");
    await edit(id, "just in time", at(59));
    expect(await problemsOf(edit(id, "late", at(61)))).toEqual({ form: "edit.late" });
    const never = { ...world.ctx, config: { ...world.ctx.config, editMinutes: 0 } };
    expect(await problemsOf(edit(id, "never", never))).toEqual({ form: "edit.off" });
    const longer = { ...at(61), config: { ...world.ctx.config, editMinutes: 90 } };
    await edit(id, "in a longer time", longer);
    expect(await textsOf(id)).toEqual(["in a longer time", "just in time", "in time"]);
  });

  it("only the author edits a tweet; a retweet, a missing and a deleted tweet cannot be edited", async () => {
    const id = await postAndDeliver(world.ctx, author, "mine");
    const as = { text: "yours", pictures: [], sensitive: false };
    await expect(editTweet(world.ctx, stranger, id, as)).rejects.toThrow(Forbidden);
    await retweet(world.ctx, stranger, id);
    const copy = tweetId((await world.ctx.redis.hget(keys.retweets(stranger), id)) ?? "");
    await expect(editTweet(world.ctx, stranger, copy, as)).rejects.toThrow(Forbidden);
    await expect(edit(tweetId(987_654), "no")).rejects.toThrow(NotFound);
    await deleteTweet(world.ctx, author, id);
    await expect(edit(id, "back again")).rejects.toThrow(NotFound);
    expect(await findTweet(world.ctx, id)).toBeUndefined();
  });

  it("a tweet that an edit links to itself does not quote itself", async () => {
    const id = await postAndDeliver(world.ctx, author, "round");
    const text = `round and https://birds.example/tweets/${id}`;
    const as = { text, quoteOf: id, pictures: [], sensitive: false };
    await editTweet(world.ctx, author, id, as);
    expect(await getTweet(world.ctx, id)).toMatchObject({ text, quoteOf: undefined });
    // Sent twice.
    await editTweet(world.ctx, author, id, as);
    expect(await textsOf(id)).toEqual([text, "round"]);
  });

  it("text is checked as that of a new tweet, blocked words included", async () => {
    const id = await postAndDeliver(world.ctx, author, "fine");
    await world.ctx.redis.hset(keys.siteBlocks, "word:gruesome", 1);
    expect(await problemsOf(edit(id, "gruesome"))).toEqual({ text: "text.blocked" });
    await world.ctx.redis.del(keys.siteBlocks);
    expect(await problemsOf(edit(id, " "))).toEqual({ text: "text.empty" });
    expect(await problemsOf(edit(id, "x".repeat(281)))).toEqual({ text: "text.long" });
    expect(await textsOf(id)).toEqual(["fine"]);
  });

  it("an edit of an older version than the current one is refused, unless it says the same", async () => {
    const id = await postAndDeliver(world.ctx, author, "zero");
    await edit(id, "one", world.ctx, 0);
    expect(await problemsOf(edit(id, "two", world.ctx, 0))).toEqual({ form: "edit.seen" });
    // A form that was sent twice.
    await edit(id, "one", world.ctx, 0);
    await edit(id, "two", world.ctx, (await getTweet(world.ctx, id)).editedAt);
    expect(await textsOf(id)).toEqual(["two", "one", "zero"]);
  });

  it("of many edits at once each is in the history once", async () => {
    const id = await postAndDeliver(world.ctx, author, "start");
    const texts = ["a", "b", "c", "d"];
    await Promise.all(texts.map((text) => edit(id, text)));
    const versions = await textsOf(id);
    expect(versions.at(-1)).toBe("start");
    expect(versions.slice(0, -1).toSorted()).toEqual(texts);
  });

  it("an edit and a deletion at once leave no text, and nothing in search or tags", async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const id = await postAndDeliver(world.ctx, author, "#old words");
      const { ctx, promised } = recordJobs(world.ctx);
      await Promise.allSettled([edit(id, "#new letters", ctx), deleteTweet(ctx, author, id)]);
      for (const job of promised) await job();
      const hash = await world.ctx.redis.hgetall(keys.tweet(id));
      expect(Object.keys(hash).filter((field) => /^(was|text|edits)/.test(field))).toEqual([]);
      for (const key of [keys.tag("old"), keys.tag("new"), keys.searchTerm("letter")])
        expect(await world.ctx.redis.zscore(key, id)).toBeNull();
    }
  });

  it("a tweet can be edited a number of times; all of its versions stay", async () => {
    const id = await postAndDeliver(world.ctx, author, "version 0");
    for (let nth = 1; nth <= editsAtMost; nth += 1) await edit(id, `version ${nth}`);
    expect(await problemsOf(edit(id, "one more"))).toEqual({ form: "edit.many" });
    const expected = Array.from({ length: editsAtMost + 1 }, (_, nth) => `version ${nth}`);
    expect(await textsOf(id)).toEqual(expected.toReversed());
  });

  it("wherever the process ends, the jobs leave the old tweet or the new one, whole", async () => {
    let isEdited = false;
    for (let commands = 0; !isEdited || commands < 12; commands += 1) {
      const { ctx, promised } = recordJobs(world.ctx);
      const id = await postAndDeliver(world.ctx, author, "#before");
      await untilEnded(edit(id, "#after", endingAfter(ctx, commands)));
      for (const job of [...promised, ...promised]) await job();
      const { text, editedAt } = await getTweet(world.ctx, id);
      isEdited = text === "#after";
      expect(editedAt !== undefined).toBe(isEdited);
      const listed = ["before", "after"].map((tag) => world.ctx.redis.zscore(keys.tag(tag), id));
      const [before, after] = (await Promise.all(listed)).map((stamp) => stamp !== null);
      expect({ before, after }).toEqual({ before: !isEdited, after: isEdited });
    }
  });

  it("a delivery that read the tweet before its edit leaves nothing of what it was", async () => {
    const id = await postTweet(world.ctx, author, { text: "#slow delivery" });
    const edited = edit(id, "#quick edit");
    await Promise.all([edited, deliverAll(world.ctx, id)]);
    expect(await world.ctx.redis.zscore(keys.tag("slow"), id)).toBeNull();
    expect(await world.ctx.redis.zscore(keys.tag("quick"), id)).not.toBeNull();
  });

  it("a job that is overtaken by a second edit leaves nothing of the first", async () => {
    const { ctx, promised } = recordJobs(world.ctx);
    const id = await postAndDeliver(world.ctx, author, "#zero");
    await edit(id, "#one", ctx);
    const work = workFor(await getTweet(world.ctx, id));
    const meanwhile = () => edit(id, "#two", ctx);
    await reconcileEdit(pausingAfter(world.ctx, 1, meanwhile), work);
    expect(promised.length).toBeGreaterThan(1);
    expect(await world.ctx.redis.zscore(keys.tag("one"), id)).toBeNull();
    expect(await world.ctx.redis.zscore(keys.tag("two"), id)).not.toBeNull();
  });

  it("erasing the account takes the versions away", async () => {
    const [leaving] = (await newPeople(world.ctx, 1)) as [UserId];
    const id = await postAndDeliver(world.ctx, leaving, "kept?");
    await editTweet(world.ctx, leaving, id, { text: "no", pictures: [], sensitive: false });
    await world.ctx.redis.hset(keys.user(leaving), "deleted_at", "1");
    await eraseAccount(world.ctx, { user: leaving, pass: "last" });
    expect(await world.ctx.redis.hget(keys.tweet(id), "was:0")).toBeNull();
  });
});

/** What an edit was refused for. */
async function problemsOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((refusal: unknown) => refusal);
  return error instanceof Invalid ? error.problems : error;
}
