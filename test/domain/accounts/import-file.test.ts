import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startImport } from "../../../src/domain/accounts/import.ts";
import type { Ctx } from "../../../src/context.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { dump } from "../../support/world/dump.ts";
import { exportFileWith, importAll } from "../../support/data/account-files.ts";
import { newPerson } from "../../support/actors/people.ts";
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
      [JSON.stringify({ format: "suzume-export", version: 1, followings: [] }), "import.foreign"],
      [
        JSON.stringify({ format: "suzume-export", version: 2, followings: [], tweets: [] }),
        "import.version",
      ],
      [exportFileWith({ tweets: Array.from({ length: 200_001 }, () => 0) }), "import.large"],
      [`${exportFileWith({}).toString()},`, "import.foreign"],
      ['{"format":"suzume-export","version":1,"followings":[],"tweets":[', "import.foreign"],
      ['{"format":"suzume-export","version":1,"followings":[],"tweets":"]}', "import.foreign"],
      [exportFileWith({ lists: Array.from({ length: 51 }, () => ({})) }), "import.large"],
      [exportFileWith({ tweets: Array.from({ length: 500_000 }, () => ({})) }), "import.large"],
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
    await startImport(ctx, user, exportFileWith({ lists: [list] }));
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
    await startImport(ctx, user, exportFileWith({ tweets: items }));
    expect(await importAll(ctx, user)).toMatchObject({ tweets: 1, skipped: { date: 500 } });
  });

  it("deeply nested items in an import file are malformed", async () => {
    const user = await newPerson(ctx);
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const file = `{"format":"suzume-export","version":1,"followings":[${deep}],"tweets":[{"text":${deep},"created_at":"x"}]}`;
    await startImport(ctx, user, Buffer.from(file));
    expect(await importAll(ctx, user)).toMatchObject({ skipped: { malformed: 2 } });
  });
});
