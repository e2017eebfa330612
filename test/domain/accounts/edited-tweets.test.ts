import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { readUser } from "../../../src/domain/users/store.ts";
import { exportFile, importFile, rowsIn, siteUrl } from "../../support/data/account-files.ts";
import { newPeople, postAndDeliver, readAll, readUserPage } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("edited tweets in exports and imports", () => {
  let world: World;
  let author: UserId;
  let heir: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [author, heir] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const allBy = (user: UserId) => readAll((before) => readUserPage(world.ctx, user, before));

  it("an export has the mark and the earlier versions; an import keeps the mark, and nothing comes twice", async () => {
    const { ctx } = world;
    // What a version has beside its words, such as the ids of mentioned users, is not for the file.
    const wrong = `wrong, @${(await readUser(ctx, heir))?.name ?? ""}`;
    const id = await postAndDeliver(ctx, author, wrong);
    const early = await exportFile(ctx, author);
    await editTweet(ctx, author, id, { text: "right", pictures: [], sensitive: false });
    const late = await exportFile(ctx, author);
    const { tweet: tweets, earlier_version: versions } = rowsIn(late);
    expect(tweets).toMatchObject([{ text: "right", edited_at: expect.any(String) as string }]);
    expect(versions).toEqual([
      { url: `${siteUrl}/tweets/${id}`, written_at: expect.any(String) as string, text: wrong },
    ]);
    expect(early.toString()).not.toContain('"edited_at"');

    world.pass(2 * day);
    expect(await importFile(ctx, author, early)).toMatchObject({ tweets: 0, known: 1 });
    expect(await importFile(ctx, author, late)).toMatchObject({ tweets: 0, known: 1 });
    expect((await allBy(author)).map(({ text }) => text)).toEqual(["right"]);

    expect(await importFile(ctx, heir, late)).toMatchObject({ tweets: 1 });
    const [brought] = await allBy(heir);
    const { editedAt } = await getTweet(ctx, id);
    expect(brought).toMatchObject({ text: "right", editedAt });
  });
});
