import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import {
  exportFileWith,
  importAll,
  startImport,
  timeAt,
} from "../../support/data/account-files.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60 * 1000;

describe("what an import would bring", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("is what it brings: tweets of today, of tomorrow and without words are no promise", async () => {
    const { ctx } = world;
    const user = await newPerson(ctx);
    const at = (ahead: number) => new Date(ctx.now() + ahead).toISOString();
    const yesterday = at(-25 * hour);
    const tweet = [
      { text: "tomorrow", created_at: at(24 * hour) },
      { text: "today", created_at: at(-23 * hour) },
      { text: "yesterday", created_at: yesterday },
      { text: " ", created_at: timeAt(3) },
      { text: "x".repeat(300), created_at: timeAt(2) },
      { text: "no date", created_at: "once" },
      { text: "for one", created_at: timeAt(1), audience: "mentioned" },
      { text: "long ago", created_at: timeAt(0) },
      0,
    ];
    await startImport(ctx, user, exportFileWith({ tweet }));
    const preview = (await findImport(ctx, user))?.preview;
    expect(preview?.counts).toMatchObject({ tweet: 2 });
    expect([preview?.first, preview?.last]).toEqual([timeAt(0), yesterday]);
    const { tweets, skipped } = await importAll(ctx, user);
    expect({ tweets, skipped }).toEqual({ tweets: 2, skipped: preview?.skipped });
    expect(skipped).toEqual({ date: 2, recent: 1, text: 2, private: 1, malformed: 1 });
  });
});
