import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { listFilters } from "../../../src/domain/graph/filters.ts";
import { followedTags, followersAmong } from "../../../src/domain/graph/follows.ts";
import { listsOf, membersOfList } from "../../../src/domain/graph/lists.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { newPerson, readUserPage } from "../../support/actors/people.ts";
import { importFile } from "../../support/data/account-files.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** Files of version 1, as Suzume wrote them when it exported one JSON document. */
const formerFile = (ending: "json" | "zip") =>
  readFile(new URL(`../../support/data/former-export.${ending}`, import.meta.url));

describe("an export of version 1", () => {
  let world: World;
  let ctx: Ctx;
  let wren: UserId;
  let robin: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
    wren = await createUser(ctx, { name: "wren", fullname: "Wren", pass: "none" });
    robin = await createUser(ctx, { name: "robin", fullname: "Robin", pass: "none" });
  });
  afterAll(() => world.close());

  const shownBy = async (user: UserId) =>
    (await readUserPage(ctx, user)).items.map(({ text, warning, editedAt, pictures = [] }) => ({
      text,
      warning,
      isEdited: editedAt !== undefined,
      pictures: pictures.map(({ description }) => description),
    }));
  const plain = { warning: undefined, isEdited: false, pictures: [] };

  it("a JSON document of version 1 brings follows, hashtags, muted words, lists and tweets", async () => {
    const heir = await newPerson(ctx);
    await importFile(ctx, heir, await formerFile("json"));
    for (const followee of [wren, robin])
      expect((await followersAmong(ctx, followee, [heir])).size).toBe(1);
    expect(await followedTags(ctx, heir)).toEqual(["雀", "birds"]);
    const ending = { title: "No endings", action: "warn", contexts: ["home", "public"] };
    const filters = await listFilters(ctx, heir);
    expect(filters).toMatchObject([
      { ...ending, until: 5e15 },
      { ...ending, until: 5e15 },
      { title: "noise", action: "hide", until: Infinity },
    ]);
    const keywords = filters.flatMap((filter) => filter.keywords);
    expect(keywords.map(({ word, whole }) => `${word} ${whole}`).toSorted()).toEqual([
      "noise true",
      "spoiler false",
      "the end true",
    ]);
    // Rows are imported side by side: two lists may be made in the same millisecond.
    const lists = (await listsOf(ctx, heir)).toSorted((one, other) =>
      one.title.localeCompare(other.title),
    );
    expect(lists).toMatchObject([
      { title: "Close, friends", replies: "none" },
      { title: "Empty", replies: "followed" },
    ]);
    const members = await Promise.all(lists.map(({ id }) => membersOfList(ctx, heir, id)));
    expect(members).toEqual([[wren], []]);
    expect(await shownBy(heir)).toEqual([
      { ...plain, text: "two walls" },
      { ...plain, text: "right", isEdited: true },
      { ...plain, text: "a warned one", warning: "the end" },
      { ...plain, text: "a quote" },
      { ...plain, text: "a reply" },
      { ...plain, text: 'mine, with "quotes",\nand 雀 \\ [ { ] }' },
    ]);
  });

  it("a ZIP of version 1 brings the pictures", async () => {
    const heir = await newPerson(ctx);
    await importFile(ctx, heir, await formerFile("zip"));
    expect(await shownBy(heir)).toEqual([
      { ...plain, text: "", pictures: [""] },
      { ...plain, text: "two walls", pictures: ["a wall", "another <wall>"] },
    ]);
  });
});
