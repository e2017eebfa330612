import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listFilters } from "../../../src/domain/graph/filters.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import { exportFile, importFile } from "../../support/data/account-files.ts";
import { newPeople } from "../../support/actors/people.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("muted words of an export", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("an import mutes the words of the export as they were, once, without those that have ended", async () => {
    const { ctx } = world;
    const [old, heir] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await muteWord(ctx, old, { word: "Noise", days: 7 });
    await muteWord(ctx, old, {
      word: "later",
      days: undefined,
      action: "warn",
      contexts: ["home"],
    });
    const lasting = await listFilters(ctx, old);
    await muteWord(ctx, old, { word: "over", days: 1 });
    const file = await exportFile(ctx, old);
    world.pass(day + 1000);
    for (const who of [heir, heir, old]) {
      const progress = await importFile(ctx, who, file);
      expect(progress).toMatchObject({ words: 2, skipped: { words: 1 } });
      expect(await listFilters(ctx, who)).toEqual(lasting);
    }
  });
});
