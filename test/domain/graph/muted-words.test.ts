import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import {
  deleteFilter,
  filterContexts,
  filterMatcher,
  filtersAtMost,
  isHiddenBy,
  listFilters,
} from "../../../src/domain/graph/filters.ts";
import { mutedWordId, muteWord } from "../../../src/domain/graph/muted-words.ts";
import { foldWords, holdsWord } from "../../../src/domain/word-match.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const day = 24 * 60 * 60 * 1000;

describe("muted words", () => {
  let world: World;
  let me: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const mute = (word: string, days?: number) => muteWord(world.ctx, me, { word, days });
  const unmute = (word: string) => deleteFilter(world.ctx, me, mutedWordId(foldWords(word)));
  const isMuted = async (text: string) => {
    const matchesOf = await filterMatcher(world.ctx, await getViewer(world.ctx, me));
    const matches = matchesOf({ author: "999", text });
    const hidden = filterContexts.map((context) => isHiddenBy(matches, context));
    expect(new Set(hidden).size).toBe(1);
    return hidden[0];
  };
  const words = async () => (await listFilters(world.ctx, me)).map(({ title }) => title);
  const stored = async () => {
    const filters = await world.ctx.redis.hvals(keys.filters(me));
    return filters.map((json) => (JSON.parse(json) as { title: string }).title).toSorted();
  };

  async function asNewcomer(): Promise<void> {
    me = await newPerson(world.ctx);
  }

  it("a muted word holds from the mute to the unmute", async () => {
    await asNewcomer();
    expect(await isMuted("a Spoiler")).toBe(false);
    await mute("SPOILER");
    expect(await isMuted("a Spoiler")).toBe(true);
    expect(await words()).toEqual(["spoiler"]);
    await unmute("Spoiler");
    expect(await isMuted("a Spoiler")).toBe(false);
    await unmute("Spoiler");
    expect(await words()).toEqual([]);
  });

  it("a muted word holds in content warnings and in descriptions of pictures", async () => {
    await asNewcomer();
    await mute("spider");
    const matchesOf = await filterMatcher(world.ctx, await getViewer(world.ctx, me));
    const matches = (tweet: { warning?: string; pictures?: { description: string }[] }) =>
      matchesOf({ author: "999", text: "Look", ...tweet }).length;
    expect(matches({ warning: "a cat", pictures: [{ description: "a cat" }] })).toBe(0);
    expect(matches({ warning: "A spider" })).toBe(1);
    expect(matches({ pictures: [{ description: "a cat" }, { description: "A spider" }] })).toBe(1);
  });

  it("a muted word holds without its accents and in the other kana, and is shown as typed", async () => {
    await asNewcomer();
    for (const word of ["Café", "カジノ", "strasse"]) await mute(word);
    expect(await words()).toEqual(["café", "strasse", "カジノ"]);
    for (const text of ["a CAFE!", "かじの", "ｶｼﾞﾉ", "Straße"])
      expect([text, await isMuted(text)]).toEqual([text, true]);
    expect(await isMuted("cafes and カシノ")).toBe(false);
  });

  it("a mute of a word ends by itself, and is removed with the next change", async () => {
    await asNewcomer();
    await mute("for ever");
    await mute("a day", 1);
    await mute("a week", 7);
    world.pass(day - 60_000);
    expect(await isMuted("not a day longer")).toBe(true);
    world.pass(61_000);
    expect(await isMuted("not a day longer")).toBe(false);
    expect(await words()).toEqual(["a week", "for ever"]);
    expect(await stored()).toContain("a day");
    await unmute("something else");
    expect(await stored()).toEqual(["a week", "for ever"]);
    world.pass(7 * day);
    expect(await isMuted("a week for ever")).toBe(true);
    await mute("new");
    expect(await words()).toEqual(["for ever", "new"]);
    expect(await stored()).toHaveLength(2);
  });

  it("muting a word again restarts its time", async () => {
    await asNewcomer();
    await mute("twice", 1);
    world.pass(day / 2);
    await mute("Twice", 1);
    world.pass(day * 0.75);
    expect(await isMuted("twice")).toBe(true);
    await mute("twice");
    world.pass(day * 1000);
    expect(await isMuted("twice")).toBe(true);
    expect(await stored()).toHaveLength(1);
  });

  it("an empty or too long muted word is refused", async () => {
    await asNewcomer();
    for (const word of ["", "  ", "\u200B", "\uFE0F", "\u3164"])
      await expect(mute(word)).rejects.toMatchObject({ problems: { word: "word.empty" } });
    for (const word of ["雀".repeat(51), "ﷺ".repeat(10)])
      await expect(mute(word)).rejects.toMatchObject({ problems: { word: "word.long" } });
    await mute("👨‍👩‍👧".repeat(50));
    expect(await words()).toHaveLength(1);
  });

  it("muted words are at most 200, also when added at the same moment", async () => {
    await asNewcomer();
    const added = await Promise.allSettled(
      Array.from({ length: filtersAtMost + 20 }, (_, nth) => mute(`word ${nth}`, 1)),
    );
    expect(added.filter(({ status }) => status === "rejected")).toHaveLength(20);
    expect(await words()).toHaveLength(filtersAtMost);
    await expect(mute("more")).rejects.toMatchObject({ problems: { word: "word.many" } });
    await mute((await words())[0] ?? "", 7);
    world.pass(2 * day);
    await mute("more");
    expect(await words()).toHaveLength(2);
  });

  it("muted words are read once while nothing changes", async () => {
    await asNewcomer();
    await mute("quiet");
    const viewer = await getViewer(world.ctx, me);
    await filterMatcher(world.ctx, viewer);
    const { misses } = world.ctx.memory.stats();
    const matches = (await filterMatcher(world.ctx, viewer))({ author: "999", text: "quiet" });
    expect(matches).toHaveLength(1);
    expect(world.ctx.memory.stats().misses).toBe(misses);
  });

  it("every listed muted word can be unmuted", async () => {
    const typed = fc.string({ unit: "binary", minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(typed, async (word) => {
        await asNewcomer();
        await mute(word).catch(() => {});
        for (const { id } of await listFilters(world.ctx, me))
          await deleteFilter(world.ctx, me, id);
        expect(await stored()).toEqual([]);
      }),
      runs(200),
    );
  });

  it("muted words hide what a naive reader finds, after any changes", async () => {
    const word = fc.constantFrom("cat", "Dog", "猫", "#tag", "@bob", "good day");
    const act = fc.oneof(
      fc.record({
        does: fc.constant("mute" as const),
        word,
        days: fc.constantFrom(1, 7, undefined),
      }),
      fc.record({ does: fc.constant("unmute" as const), word }),
      fc.record({ does: fc.constant("pass" as const), days: fc.constantFrom(0.5, 1.01, 8) }),
    );
    const token = fc.constantFrom(
      "cat",
      "DOG",
      "黒猫",
      "#tag",
      "#tags",
      "@bob",
      "good",
      "day",
      "x",
    );
    const texts = fc.array(token, { maxLength: 5 }).map((tokens) => tokens.join(" "));
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), texts, async (acts, text) => {
        await asNewcomer();
        const model = new Map<string, number>();
        for (const one of acts)
          if (one.does === "pass") world.pass(one.days * day);
          else if (one.does === "unmute") {
            await unmute(one.word);
            model.delete(one.word);
          } else {
            await mute(one.word, one.days);
            model.set(one.word, world.ctx.now() + (one.days ?? Infinity) * day);
          }
        const muted = [...model].filter(([, until]) => until > world.ctx.now());
        const hides = muted.some(([one]) => holdsWord(foldWords(text), foldWords(one)));
        expect(await isMuted(text)).toBe(hides);
        expect(await words()).toHaveLength(muted.length);
      }),
      runs(150),
    );
  });
});
