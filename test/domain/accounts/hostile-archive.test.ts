import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipFile } from "yazl";
import type { Ctx } from "../../../src/context.ts";
import { newPerson, readUserPage } from "../../support/actors/people.ts";
import {
  contentsOf,
  exportFileWith,
  importFile,
  timeAt,
  startImport,
} from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";

/** An archive with these files; a deflated file has `true`. */
async function zipOf(files: Record<string, [Buffer, boolean]>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, [bytes, compress]] of Object.entries(files))
    zip.addBuffer(bytes, name, { compress });
  zip.end();
  return await buffer(zip.outputStream);
}

/**
 * The archive with a directory that names its last file many times: under names that end with their number, or always
 * the same. Its bytes are there only once.
 */
function repeated(zip: Buffer, times: number, named: "numbered" | "alike"): Buffer {
  const end = zip.length - 22;
  const directory = zip.subarray(zip.readUInt32LE(end + 16), end);
  const last = directory.subarray(directory.lastIndexOf("PK\u0001\u0002"));
  const [digits = ""] = /\d+(?=\.webp)/.exec(last.toString("latin1", 46)) ?? [];
  const entries = Array.from({ length: times }, (_, nth) => {
    const entry = Buffer.from(last);
    const number = String(nth).padStart(digits.length, "0");
    if (named === "numbered") entry.write(number, 46 + "pictures/".length);
    return entry;
  });
  const before = directory.subarray(0, directory.length - last.length);
  const tail = Buffer.from(zip.subarray(end));
  const count = tail.readUInt16LE(10) - 1 + times;
  tail.writeUInt16LE(count, 8);
  tail.writeUInt16LE(count, 10);
  tail.writeUInt32LE(before.length + times * last.length, 12);
  return Buffer.concat([
    zip.subarray(0, zip.length - directory.length - 22),
    before,
    ...entries,
    tail,
  ]);
}

const tweetWith = (...files: string[]) => ({
  text: files.length > 1 ? "words" : "",
  created_at: timeAt(1),
  pictures: files.map((file) => ({ file, description: "x".repeat(2000) })),
});

describe("a hostile archive", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("what is no readable picture is left out, and told", async () => {
    const heir = await newPerson(ctx);
    const compressed = { ...tweetWith("pictures/c.webp"), text: "third" };
    const tweets = [
      compressed,
      tweetWith("pictures/a.webp", "pictures/b.webp"),
      tweetWith("pictures/a.webp"),
    ];
    const file = await zipOf({
      "export.jsonl": [exportFileWith({ tweet: tweets }), true],
      "pictures/a.webp": [await picture("jpeg"), false],
      "pictures/b.webp": [Buffer.from("<svg onload=alert(1)>"), false],
      // Compressed to a hundredth, as no picture is.
      "pictures/c.webp": [Buffer.alloc(1_000_000), true],
    });
    // Oldest first: the tweet without text has the picture, the other one keeps its text.
    const progress = await importFile(ctx, heir, file);
    expect(progress).toMatchObject({ tweets: 3, pictures: 1, skipped: { picture: 1 } });
    const { items } = await readUserPage(ctx, heir);
    const pictures = items.flatMap((tweet) => tweet.pictures ?? []);
    // A description that is too long is left out.
    expect(pictures.map(({ large, description }) => [large.width, description])).toEqual([
      [600, ""],
    ]);
  });

  it("archives that are damaged, too large when unpacked, or lead out of a folder are refused", async () => {
    const heir = await newPerson(ctx);
    const json = exportFileWith({});
    const nothing: [Buffer, boolean] = [Buffer.alloc(0), false];
    const few = await zipOf({ "export.jsonl": [json, false], "pictures/00000.webp": nothing });
    const outside = (await zipOf({ "aa/export.jsonl": [json, false] })).toString("latin1");
    const refused: [Buffer, string][] = [
      [Buffer.from("PK\u0003\u0004 and nothing more"), "import.damaged"],
      [await zipOf({ "other.json": [json, false] }), "import.foreign"],
      [Buffer.from(outside.replaceAll("aa/", "../"), "latin1"), "import.damaged"],
      [await zipOf({ "export.jsonl": [Buffer.alloc(30_000_000, " "), true] }), "import.large"],
      [repeated(few, 50_000, "numbered"), "import.large"],
    ];
    for (const [file, problem] of refused)
      await expect(startImport(ctx, heir, file)).rejects.toMatchObject({
        problems: { file: problem },
      });
    expect(await storedFiles(ctx, heir)).toEqual([]);
  });

  it("bytes that a directory names many times are refused before they fill the memory", async () => {
    const heir = await newPerson(ctx);
    const json: [Buffer, boolean] = [exportFileWith({}), false];
    const large = Buffer.alloc(1_000_000);
    const pictures = await zipOf({ "export.jsonl": json, "pictures/000.webp": [large, false] });
    const bomb = await zipOf({
      "export.jsonl": [exportFileWith({ profile: [{ padding: "x".repeat(1_000_000) }] }), true],
    });
    const refused = [
      repeated(pictures, 20, "numbered"),
      repeated(pictures, 20, "alike"),
      repeated(bomb, 2, "alike"),
      repeated(await zipOf({ "export.jsonl": json, "readme.txt": json }), 1001, "alike"),
    ];
    for (const file of refused)
      await expect(startImport(ctx, heir, file)).rejects.toMatchObject({
        problems: { file: "import.large" },
      });
  });

  it("of a list of follows no more rows are made than a file may have", async () => {
    const file = Buffer.from(`Account address\n${"a@b.example\n".repeat(210_000)}`);
    const archive = await zipOf({ "following_accounts.csv": [file, true] });
    expect((await contentsOf(ctx, archive)).lines.length).toBe(200_001);
    await expect(startImport(ctx, await newPerson(ctx), archive)).rejects.toMatchObject({
      problems: { file: "import.large" },
    });
  });
});
