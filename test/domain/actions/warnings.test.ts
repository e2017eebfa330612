import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { addBlock, removeBlock } from "../../../src/domain/moderation/blocks.ts";
import { findTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { historyOf } from "../../../src/domain/tweets/versions.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople, readAll, readUserPage } from "../../support/actors/people.ts";
import { exportFile, importFile, rowsIn } from "../../support/data/account-files.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findTexts, removeTweet } from "../search/found-texts.ts";

const day = 24 * 60 * 60 * 1000;

describe("tweets with a content warning", () => {
  let world: World;
  let author: UserId;
  let reader: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [author, reader] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const post = async (warning: string, text: string, nonce?: string): Promise<TweetId> => {
    const id = await postTweet(world.ctx, author, { text, warning, nonce });
    await deliverAll(world.ctx, id);
    return id;
  };
  const edit = async (id: TweetId, warning: string | undefined, text: string) =>
    editTweet(world.ctx, author, id, { text, warning, pictures: [], sensitive: false });
  const stored = async (id: TweetId) => await world.ctx.redis.hgetall(keys.tweet(id));

  it("a tweet keeps its warning beside its text, and has no such field without one", async () => {
    const id = await post(" The\nend ", "the butler");
    expect(await getTweet(world.ctx, id)).toMatchObject({ warning: "The end", text: "the butler" });
    expect((await getTweet(world.ctx, await post("  ", "plain"))).warning).toBeUndefined();
    expect(await stored(await post("", "plainer"))).not.toHaveProperty("warning");
  });

  it("names and tags in a warning are words: nobody is called, and no tag lists the tweet", async () => {
    const name = (await findUser(world.ctx, reader))?.name ?? "";
    const { mentions } = await getTweet(
      world.ctx,
      await post(`About @${name} #wtag`, "it is said"),
    );
    expect(mentions).toEqual([]);
    expect(await findTexts(world.ctx, "#wtag")).toEqual([]);
  });

  it("a form sent again with another warning is another tweet", async () => {
    const first = await post("one", "the same", "form");
    expect(await post("one", "the same", "form")).toBe(first);
    expect(await post("two", "the same", "form")).not.toBe(first);
    expect(await post("", "the same", "form")).not.toBe(first);
  });

  it("an edit sets, changes and removes the warning, and each version has its own", async () => {
    const id = await post("", "as it was");
    await edit(id, "", "as it was");
    expect((await getTweet(world.ctx, id)).editedAt).toBeUndefined();
    await edit(id, "first", "as it was");
    await edit(id, "second", "as it was");
    expect(await getTweet(world.ctx, id)).toMatchObject({ warning: "second", text: "as it was" });
    await edit(id, undefined, "as it was");
    const tweet = await getTweet(world.ctx, id);
    expect(tweet.warning).toBeUndefined();
    const versions = await historyOf(world.ctx, tweet);
    const warnings = versions.map(({ warning }) => warning);
    expect(warnings).toEqual([undefined, "second", "first", undefined]);
  });

  it("a deleted tweet keeps no word of its warning", async () => {
    const id = await post("secret one", "hidden");
    await edit(id, "secret two", "hidden");
    await deleteTweet(world.ctx, author, id);
    expect(await findTweet(world.ctx, id)).toBeUndefined();
    expect(JSON.stringify(await stored(id))).not.toContain("secret");
  });

  it("search finds a tweet by its text and by its warning, until an edit or its deletion", async () => {
    const id = await post("Wtrailer ends", "wgardener did it");
    for (const typed of ["wtrailer", "wgardener", "wtrailer wgardener"])
      expect([typed, await findTexts(world.ctx, typed)]).toEqual([typed, ["wgardener did it"]]);
    await edit(id, "Wbook", "wgardener did it");
    expect(await findTexts(world.ctx, "wtrailer")).toEqual([]);
    expect(await findTexts(world.ctx, "wbook")).toEqual(["wgardener did it"]);
    await removeTweet(world.ctx, id);
    expect(await findTexts(world.ctx, "wbook")).toEqual([]);
    expect(await world.ctx.redis.zcard(keys.searchTerm("wbook"))).toBe(0);
  });

  it("a word that is blocked is refused in the warning, beside the warning", async () => {
    const change = { by: author, nonce: "form", kind: "word", text: "wcasino" } as const;
    const id = await post("", "before");
    await addBlock(world.ctx, change, "192.0.2.1");
    await world.ctx.memory.settled();
    for (const refused of [post("a WCASINO", "hi"), edit(id, "wcasino!", "hi")])
      expect(await problemsOf(refused)).toEqual({ warning: "text.blocked" });
    await removeBlock(world.ctx, { ...change, nonce: "another" });
  });

  it("a muted word in a warning hides the tweet", async () => {
    await post("wspider", "eight legs");
    expect(await findTexts(world.ctx, "legs", { viewer: reader })).toEqual(["eight legs"]);
    await muteWord(world.ctx, reader, { word: "wspider", days: undefined });
    await world.ctx.memory.settled();
    expect(await findTexts(world.ctx, "legs", { viewer: reader })).toEqual([]);
  });

  it("an export has the warnings, of earlier versions too, and an import brings them back", async () => {
    const [writer, heir] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    const id = await postTweet(world.ctx, writer, { text: "told", warning: "early" });
    await postTweet(world.ctx, writer, { text: "open" });
    const as = { text: "told", pictures: [], sensitive: false };
    await editTweet(world.ctx, writer, id, { ...as, warning: "late" });
    const file = await exportFile(world.ctx, writer);
    const exported = rowsIn(file);
    expect(exported["tweet"]?.map((row) => row["warning"])).toEqual([undefined, "late"]);
    expect(exported["earlier_version"]).toMatchObject([{ text: "told", warning: "early" }]);
    world.pass(2 * day);
    expect(await importFile(world.ctx, writer, file)).toMatchObject({ tweets: 0, known: 2 });
    expect(await importFile(world.ctx, heir, file)).toMatchObject({ tweets: 2 });
    const brought = await readAll((before) => readUserPage(world.ctx, heir, before));
    expect(brought.map(({ text, warning }) => [text, warning])).toEqual([
      ["open", undefined],
      ["told", "late"],
    ]);
  });
});

async function problemsOf(refused: Promise<unknown>): Promise<unknown> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Invalid) return error.problems;
  throw error ?? new Error("it was not refused");
}
