import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { findImport } from "../../src/domain/accounts/import-store.ts";
import { Invalid } from "../../src/domain/errors.ts";
import { prepareUpload } from "../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../src/domain/pictures/uploads.ts";
import { findUser, getUserByName } from "../../src/domain/users/store.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { send } from "../support/actors/composer.ts";
import { newPeople, newPerson } from "../support/actors/people.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import {
  archiveOf,
  exportFileWith,
  fileTweets,
  importAll,
  importFile,
  previewImport,
  timeAt,
  startImport,
} from "../support/data/account-files.ts";
import { picture } from "../support/data/pictures.ts";
import { alertsOn } from "../support/inspect/page.ts";
import { storedFiles } from "../support/inspect/stored-files.ts";
import { createWorld, type World } from "../support/world/world.ts";

const manyTweets = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    text: `number ${nth}`,
    created_at: timeAt(nth),
  })).toReversed();

/** The page of an import that is done. */
const resultOf = async (visitor: Visitor): Promise<string> => {
  for (;;) {
    const { text } = await visitor.get("/settings/data").expect(200);
    if (text.includes("<strong>Done</strong>")) return text;
  }
};

describe("what one account and one address may store", () => {
  let world: World;
  afterEach(() => world.close());

  it("follows of an import count for the limit of follows, and the rest comes on another day", async () => {
    world = await createWorld({ limitFactor: 1, limits: { "follows:account": 3 } });
    const mover = await world.newcomer("mover");
    const names: string[] = [];
    for (const id of await newPeople(world.ctx, 5))
      names.push((await findUser(world.ctx, id))?.name ?? "");
    const file = exportFileWith({ follow: names.map((name) => ({ name })) });
    await mover.import(file);
    const text = await resultOf(mover);
    expect(text).toContain("3 people followed.");
    expect(text).toContain("2 skipped: an account can follow only so many people in a day.");
    await mover.post(`/@${names[0]}/follow`).expect(429);
  });

  it("imports of all accounts at one address have a budget together", async () => {
    world = await createWorld({ limitFactor: 1, limits: { "imports:address": 1.02 } });
    const texts: string[] = [];
    for (const name of ["one", "two"]) {
      const visitor = await world.newcomer(name);
      await visitor.import(exportFileWith({ tweet: manyTweets(100) }));
      texts.push(await resultOf(visitor));
    }
    expect(texts[0]).toContain("100 tweets imported.");
    expect(texts[1]).toContain("100 skipped: over the daily limit.");
  });

  it("an account brings a part of an import on its first day, and the rest with the same file later", async () => {
    const limits = { "imports:account": 0.1, "imports:newAccount": 0.02 };
    world = await createWorld({ limits, firstDayShare: 0.2 }, { workers: false });
    const user = await newPerson(world.ctx);
    const file = exportFileWith({ tweet: manyTweets(300) });
    const first = await importFile(world.ctx, user, file);
    expect(first).toMatchObject({ tweets: 100, skipped: { budget: 200 } });
    world.pass(25 * 60 * 60 * 1000);
    expect(await importFile(world.ctx, user, file)).toMatchObject({ tweets: 200, known: 100 });
  });

  it("pictures of an account have a budget of bytes a day, and text goes on", async () => {
    world = await createWorld({ limits: { "pictures:account": 0.2 } });
    const [ann, bob] = [await world.newcomer("ann"), await world.newcomer("bob")];
    const pictures = [await picture("png")];
    expect((await send(ann, { text: "one", pictures })).status).toBe(303);
    const refused = await send(ann, { text: "two, as it was typed", pictures });
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text)[0]).toContain("Please add this picture tomorrow.");
    expect(refused.text).toContain("two, as it was typed");
    await ann.tweet("three");
    expect((await send(bob, { text: "four", pictures })).status).toBe(303);
  });

  it("pictures of all accounts at one address have a budget together", async () => {
    world = await createWorld({ limits: { "pictures:address": 0.002 } });
    const [ann, bob] = [await world.newcomer("ann"), await world.newcomer("bob")];
    const pictures = [await picture("png")];
    expect((await send(ann, { text: "one", pictures })).status).toBe(303);
    expect((await send(bob, { text: "two", pictures })).status).toBe(422);
  });

  it("pictures of an import count like uploads: over the budget the tweet comes without them", async () => {
    world = await createWorld({ limits: { "pictures:account": 0.2 } }, { workers: false });
    const { ctx } = world;
    const user = await newPerson(ctx);
    const bytes = await picture("png");
    const upload = await addUpload(ctx, user, { bytes, description: "" });
    await prepareUpload(ctx, { user, upload });
    const [words] = fileTweets("words");
    const [bare] = fileTweets("");
    const tweets = [
      { ...words, pictures: [{ file: "pictures/000.webp", description: "" }] },
      { ...bare, pictures: [{ file: "pictures/001.webp", description: "" }] },
    ];
    const files = { "pictures/000.webp": bytes, "pictures/001.webp": bytes };
    const archive = await archiveOf({
      "export.jsonl": exportFileWith({ tweet: tweets }),
      ...files,
    });
    await startImport(ctx, user, archive);
    const progress = await importAll(ctx, user);
    expect(progress).toMatchObject({ tweets: 1, skipped: { budget: 1, pictures: 2 } });
  });

  it("pictures are refused with a sentence while the disk is nearly full, and text goes on", async () => {
    world = await createWorld({ freeDiskBytes: 1e18 });
    const ann = await world.newcomer("ann");
    const bytes = await picture("png");
    const refused = await send(ann, { text: "one, as it was typed", pictures: [bytes] });
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text)[0]).toContain("The disk of this site is nearly full");
    expect(refused.text).toContain("one, as it was typed");
    const header = ann.agent.post("/settings/header").attach("header", bytes, "h.png");
    expect(alertsOn((await header.expect(422)).text)[0]).toContain("nearly full");
    await ann.tweet("two");
    expect(await ann.see("/@ann")).toHaveLength(1);
  });

  it("an import whose pictures fill the disk is refused, and leaves none of them", async () => {
    const megabyte = 1e6;
    world = await createWorld({ freeDiskBytes: 10 * megabyte }, { workers: false });
    const { ctx } = world;
    if (ctx.storage === undefined) throw new Error("no storage");
    const user = await newPerson(ctx);
    const names = Array.from({ length: 8 }, (_, nth) => `pictures/00${nth}.webp`);
    const tweets = fileTweets(...names).map((tweet, nth) => ({
      ...tweet,
      pictures: [{ file: names[nth], description: "" }],
    }));
    const files = names.map((name) => [name, randomBytes(4 * megabyte)]);
    const archive = await archiveOf({
      "export.jsonl": exportFileWith({ tweet: tweets }),
      ...(Object.fromEntries(files) as Record<string, Buffer>),
    });
    let kept = 0;
    const disk: Storage = {
      ...ctx.storage,
      freeBytes: async () => 20 * megabyte - kept,
      async putBriefly(name, bytes) {
        kept += bytes.length;
        await ctx.storage?.putBriefly(name, bytes);
      },
    };
    const refused = previewImport({ ...ctx, storage: disk }, user, archive);
    await expect(refused).rejects.toThrow(Invalid);
    expect(kept).toBeLessThan(20 * megabyte);
    expect(await storedFiles(ctx, user)).toEqual([]);
    expect(await findImport(ctx, user)).toBeUndefined();
  });

  it("an import keeps no address: a digest finds the budget", async () => {
    world = await createWorld({}, { workers: false });
    const mover = await world.newcomer("mover");
    await mover.import(exportFileWith({}));
    const { id } = await getUserByName(world.ctx, "mover");
    const stored = await world.ctx.redis.hgetall(`user:${id}:import`);
    expect(stored["from"]).toMatch(/^[\w-]{22}$/);
  });
});
