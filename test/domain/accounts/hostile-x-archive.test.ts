import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipFile } from "yazl";
import type { Ctx } from "../../../src/context.ts";
import { moveIn } from "../../support/actors/mover.ts";
import { newPerson } from "../../support/actors/people.ts";
import { importFile, previewImport } from "../../support/data/account-files.ts";
import { xArchive, xFile, xNote, xTweet } from "../../support/data/x-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const at = "2020-05-01T10:00:00.000Z";
const tooLarge = { problems: { file: "import.large" } };

/** A ZIP with these files, deflated. */
async function deflated(files: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name);
  zip.end();
  return await buffer(zip.outputStream);
}

/** The archive with a directory that says each file has this size, when it is unpacked. */
function sized(zip: Buffer, size: number): Buffer {
  const changed = Buffer.from(zip);
  for (let entry = zip.indexOf("PK\u0001\u0002"); entry !== -1;) {
    changed.writeUInt32LE(size, entry + 24);
    entry = zip.indexOf("PK\u0001\u0002", entry + 1);
  }
  return changed;
}

describe("a hostile archive of X", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("a tweet whose links are longer than any text is malformed, and the others come", async () => {
    const short = "https://t.co/a";
    const links = { [short]: `https://blog.example/${"x".repeat(2000)}` };
    const { progress } = await moveIn(
      ctx,
      await xArchive([
        { id: "11", text: `${short} `.repeat(5000), at, links },
        { id: "12", text: "good", at },
      ]),
    );
    expect(progress).toMatchObject({ tweets: 1, skipped: { malformed: 1 } });
  });

  it("long texts are refused when they are too many to be kept in memory", async () => {
    const user = await newPerson(ctx);
    const notes = Array.from({ length: 620 }, (_, nth) =>
      xNote(`${nth} `.padEnd(100_000, "x"), at),
    );
    const few = { "data/tweets.js": xFile("tweets", [xTweet({ id: "21", text: "one", at })]) };
    const many = { ...few, "data/note-tweet.js": xFile("note_tweet", notes) };
    await expect(previewImport(ctx, user, await deflated(many))).rejects.toMatchObject(tooLarge);
    const empty = Array.from({ length: 200_001 }, (_, nth) => xNote(`${nth}`, at));
    const small = { ...few, "data/note-tweet.js": xFile("note_tweet", empty) };
    await expect(previewImport(ctx, user, await deflated(small))).rejects.toMatchObject(tooLarge);
  });

  it("a long text belongs to one tweet", async () => {
    const words = "some words ".repeat(40).trim();
    const tweets = [1, 2].map((nth) => ({ id: String(nth), text: `${words.slice(0, 270)}…`, at }));
    const file = await xArchive(tweets, { notes: [xNote(words, at)] });
    // A thread of two, and a tweet.
    expect(await importFile(ctx, await newPerson(ctx), file)).toMatchObject({ tweets: 3 });
  });

  it("files that together unpack to more than a gigabyte are refused", async () => {
    const user = await newPerson(ctx);
    const parts = [0, 1, 2].map((nth) => [
      `data/tweets-part${nth}.js`,
      Buffer.concat([
        xFile("tweets", [xTweet({ id: `3${nth}`, text: "one", at })]),
        Buffer.alloc(1000),
      ]),
    ]);
    const files = await deflated(Object.fromEntries(parts) as Record<string, Buffer>);
    await previewImport(ctx, user, sized(files, 300_000_000));
    await expect(
      previewImport(ctx, await newPerson(ctx), sized(files, 400_000_000)),
    ).rejects.toMatchObject(tooLarge);
  });
});
