import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { dump } from "../../support/world/dump.ts";
import {
  exportFile,
  exportFileWith,
  fileTweets,
  importAll,
  importFile,
  rowsIn,
  startImport,
} from "../../support/data/account-files.ts";
import { newPeople, newPerson } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("an import file", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("a file that is no export is refused, and nothing is written", async () => {
    const user = await newPerson(ctx);
    const before = await dump(ctx);
    const refused: [string | Buffer, string][] = [
      ["", "import.foreign"],
      ["{}", "import.foreign"],
      ["[".repeat(200_000), "import.foreign"],
      [`${"[".repeat(200_000)}${"]".repeat(200_000)}`, "import.foreign"],
      [Buffer.from([0xff, 0xfe, 0]), "import.foreign"],
      ['{"kind":"export","format":"suzume-export","version":2}', "import.foreign"],
      ['{"kind":"export","format":"another","version":2}\n{"kind":"end"}', "import.foreign"],
      ['{"kind":"export","format":"suzume-export","version":3}\n{"kind":"end"}', "import.version"],
      ['{\n"format": "suzume-export",\n"version": 1,\n"tweets": [', "import.foreign"],
      ['{\n"format": "another",\n"version": 1\n}', "import.foreign"],
      [exportFileWith({ tweet: Array.from({ length: 200_001 }, () => 0) }), "import.large"],
      ["\n".repeat(1_000_002), "import.large"],
      [exportFileWith({ tweet: [1, 2] }).subarray(0, -10), "import.foreign"],
      [exportFileWith({ list: Array.from({ length: 51 }, () => ({})) }), "import.large"],
      [exportFileWith({ tweet: Array.from({ length: 500_000 }, () => ({})) }), "import.large"],
    ];
    for (const [file, problem] of refused) {
      const error = await startImport(ctx, user, Buffer.from(file)).catch(
        (caught: unknown) => caught,
      );
      expect(error).toBeInstanceOf(Invalid);
      expect((error as Invalid).problems).toEqual({ file: problem });
    }
    expect(await dump(ctx)).toEqual(before);
  });

  it("a list with more members than a list can have is left out", async () => {
    const user = await newPerson(ctx);
    const list = {
      title: "Crowd",
      replies: "list",
      members: Array.from({ length: 501 }, () => "a"),
    };
    await startImport(ctx, user, exportFileWith({ list: [list] }));
    expect(await importAll(ctx, user)).toMatchObject({ skipped: { malformed: 1 } });
  });

  it("an import file may have any characters inside its strings", async () => {
    const user = await newPerson(ctx);
    const text = '{[,"\\\\'.repeat(40);
    const items = Array.from({ length: 500 }, (_, nth) => ({
      text: `${nth}`,
      created_at: "x",
      more: text.repeat(8),
    }));
    items.push({ text, created_at: "2020-01-01T00:00:00Z", more: "\\" });
    await startImport(ctx, user, exportFileWith({ tweet: items }));
    expect(await importAll(ctx, user)).toMatchObject({ tweets: 1, skipped: { date: 500 } });
  });

  it("deeply nested items in an import file are malformed", async () => {
    const user = await newPerson(ctx);
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const rows = [`{"kind":"follow","name":${deep}}`, `{"kind":"tweet","text":${deep}}`];
    const [head, ...end] = exportFileWith({}).toString().split("\n");
    await startImport(ctx, user, Buffer.from([head, ...rows, ...end].join("\n")));
    expect(await importAll(ctx, user)).toMatchObject({ skipped: { malformed: 2 } });
  });

  it("what is exported, imported and exported again is the same", async () => {
    const word = fc.stringMatching(/^[a-z雀]{1,12}$/);
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .map((any) => any.replace(/[@\s]/gu, " ").trim())
      .filter((any) => any !== "");
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(text, { maxLength: 8 }),
        fc.uniqueArray(word, { maxLength: 3 }),
        async (texts, tags) => {
          const [first, second] = (await newPeople(ctx, 2)) as [UserId, UserId];
          const rows = { tweet: fileTweets(...texts), tag: tags.map((tag) => ({ tag })) };
          await importFile(ctx, first, exportFileWith(rows));
          const once = await exportFile(ctx, first);
          await importFile(ctx, second, once);
          expect(brought(await exportFile(ctx, second))).toEqual(brought(once));
        },
      ),
      runs(30),
    );
  });
});

/** What an import brings. */
function brought(file: Buffer) {
  const { tweet = [], tag = [] } = rowsIn(file);
  return {
    tweets: tweet.map(({ text, created_at: createdAt }) => ({ text, createdAt })),
    tags: new Set(tag.map((row) => row["tag"])),
  };
}
