import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { continueImport, steerImport } from "../../../src/domain/accounts/import.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { isFollowing } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { newPerson, readUserPage } from "../../support/actors/people.ts";
import {
  exportFileWith,
  importAll,
  importFile,
  previewImport,
} from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { xArchive } from "../../support/data/x-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";

const at = "2020-05-01T10:00:00.000Z";

describe("steps of an import", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const textsOf = async (user: UserId) =>
    (await readUserPage(ctx, user)).items.map(({ text }) => text);
  const undo = async (user: UserId) => {
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    await steerImport(ctx, user, { id, step: "undo" });
    return await importAll(ctx, user);
  };

  it("undoing an import ends the follows that it made, and no others", async () => {
    const [user, known, other] = [await newPerson(ctx), await newPerson(ctx), await newPerson(ctx)];
    await follow(ctx, { follower: user, followee: known });
    world.pass(1000);
    const rows = [];
    for (const id of [known, other]) rows.push({ name: (await findUser(ctx, id))?.name });
    await importFile(ctx, user, exportFileWith({ follow: rows }));
    expect(await isFollowing(ctx, { follower: user, followee: other })).toBeDefined();
    expect(await undo(user)).toMatchObject({ removed: 1 });
    expect(await isFollowing(ctx, { follower: user, followee: other })).toBeUndefined();
    expect(await isFollowing(ctx, { follower: user, followee: known })).toBeDefined();
  });

  it("undoing an import removes what it brought, and nothing else", async () => {
    const user = await newPerson(ctx);
    const first = await xArchive([{ id: "81", text: "stays", at }]);
    await importFile(ctx, user, first);
    const media = [{ name: "A.jpg", short: "https://t.co/pic" }];
    const pictures = { "82-A.jpg": await picture("jpeg") };
    const second = await xArchive(
      [
        { id: "81", text: "stays", at },
        { id: "82", text: "goes https://t.co/pic", at: "2020-05-02T10:00:00Z", media },
      ],
      { pictures },
    );
    expect(await importFile(ctx, user, second)).toMatchObject({ tweets: 1, known: 1 });
    expect(await undo(user)).toMatchObject({ removed: 1 });
    expect(await textsOf(user)).toEqual(["stays"]);
    expect(await storedFiles(ctx, user)).toEqual([]);
    // Undone is not deleted: the file brings it again.
    expect(await importFile(ctx, user, second)).toMatchObject({ tweets: 1, known: 1, pictures: 1 });
  });

  it("a file that is still being stored does not replace an import that was started meanwhile", async () => {
    const user = await newPerson(ctx);
    await previewImport(ctx, user, await xArchive([{ id: "91", text: "first", at }]));
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    const media = [{ name: "B.jpg", short: "https://t.co/pic" }];
    const pictures = { "92-B.jpg": await picture("jpeg") };
    const second = await xArchive([{ id: "92", text: "second https://t.co/pic", at, media }], {
      pictures,
    });
    const { storage } = ctx;
    if (storage === undefined) throw new Error("no storage");
    const slow: Ctx = {
      ...ctx,
      storage: {
        ...storage,
        async putBriefly(...file) {
          await steerImport(ctx, user, { id, step: "start" });
          await storage.putBriefly(...file);
        },
      },
    };
    await expect(previewImport(slow, user, second)).rejects.toMatchObject({
      problems: { file: "import.unfinished" },
    });
    expect((await findImport(ctx, user))?.id).toBe(id);
    await importAll(ctx, user);
    expect(await textsOf(user)).toEqual(["first"]);
    expect(await undo(user)).toMatchObject({ removed: 1 });
  });

  it("pictures that are over the room of an account are told so, and come later with the same file", async () => {
    const user = await newPerson(ctx);
    const media = [{ name: "C.jpg", short: "https://t.co/pic" }];
    const file = await xArchive([{ id: "93", text: "https://t.co/pic", at, media }], {
      pictures: { "93-C.jpg": await picture("jpeg") },
    });
    const free = ctx.config.accountPictureBytes;
    ctx.config.accountPictureBytes = 10;
    const { skipped } = await importFile(ctx, user, file);
    expect(skipped).toMatchObject({ budget: 1, pictures: 1 });
    ctx.config.accountPictureBytes = free;
    world.pass(2 * 24 * 60 * 60 * 1000);
    expect(await importFile(ctx, user, file)).toMatchObject({ tweets: 1, pictures: 1 });
    expect(await undo(user)).toMatchObject({ removed: 1 });
  });

  it("a paused import goes on where it was", async () => {
    const user = await newPerson(ctx);
    const tweets = Array.from({ length: 2500 }, (_, nth) => ({
      id: String(1000 + nth),
      text: `number ${nth}`,
      at: new Date(Date.parse(at) + nth * 1000).toISOString(),
    }));
    await previewImport(ctx, user, await xArchive(tweets));
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    const steer = (step: "start" | "pause" | "resume") => steerImport(ctx, user, { id, step });
    await steer("start");
    await continueImport(ctx, user);
    await steer("pause");
    const paused = (await findImport(ctx, user))?.progress;
    await continueImport(ctx, user);
    expect((await findImport(ctx, user))?.progress).toEqual(paused);
    await steer("resume");
    expect(await importAll(ctx, user)).toMatchObject({ tweets: 2500 });
  });
});
