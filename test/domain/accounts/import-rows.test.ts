import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../../src/domain/actions/follow.ts";
import { listFilters, newFilterId, writeFilter } from "../../../src/domain/graph/filters.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import {
  dismissNotifications,
  notificationsAfter,
} from "../../../src/domain/notifications/store.ts";
import {
  exportFile,
  exportFileWith,
  fileTweets,
  importFile,
} from "../../support/data/account-files.ts";
import { newPeople } from "../../support/actors/people.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("rows of an export", () => {
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

  it("a word leaves filters alone that an app made, with this word or of its mute", async () => {
    const { ctx } = world;
    const [user] = (await newPeople(ctx, 1)) as [UserId];
    await muteWord(ctx, user, { word: "spoiler", days: undefined });
    const [{ id } = { id: "" as never }] = await listFilters(ctx, user);
    const words = ["finale", "ending"].map((word, nth) => ({
      id: `${nth + 1}` as never,
      word,
      whole: true,
    }));
    await writeFilter(
      ctx,
      user,
      id,
      (known) => ({ ...known, title: "mine", keywords: words }) as never,
    );
    const own = {
      title: "own",
      action: "warn" as const,
      contexts: ["home" as const],
      until: Infinity,
    };
    const part = { id: "7" as never, word: "part", whole: false };
    await writeFilter(ctx, user, newFilterId(), () => ({ ...own, keywords: [part] }));
    const known = await listFilters(ctx, user);
    const file = exportFileWith({ word: [{ word: "spoiler" }, { word: "part", whole: false }] });
    for (let times = 0; times < 2; times += 1) {
      await importFile(ctx, user, file);
      const filters = await listFilters(ctx, user);
      expect(filters).toHaveLength(3);
      for (const one of known) expect(filters).toContainEqual(one);
    }
  });

  it("an import does not bring back notifications of followers that were dismissed", async () => {
    const { ctx } = world;
    const [author, fan] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: fan, followee: author });
    await dismissNotifications(ctx, author, [{ kind: "follow", actor: fan }]);
    world.pass(2 * day);
    await importFile(ctx, author, exportFileWith({ tweet: fileTweets("a") }));
    expect(await notificationsAfter(ctx, author, 0)).toEqual([]);
  });
});
