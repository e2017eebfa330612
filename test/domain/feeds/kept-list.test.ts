import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KeptList, type PlacedItem } from "../../../src/domain/feeds/kept-list.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import type { Entry } from "../../../src/domain/page.ts";
import { recorded, Recording } from "../../../src/domain/scope.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("what a page keeps of its list", () => {
  let world: World;
  let list: KeptList;
  /** What was made, in order: "item one", "html one". */
  let made: string[] = [];
  /** When the times in the HTML change. */
  let until = Infinity;
  /** Each test has keys of its own. */
  let test = 0;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(async () => await world.close());
  beforeEach(() => {
    list = new KeptList();
    made = [];
    until = Infinity;
    test += 1;
  });

  const set = async (key: string, value: string) => {
    await world.ctx.redis.set(`${key} ${test}`, value);
    await world.ctx.memory.settled();
  };
  const valueOf = async (key: string) => (await world.ctx.redis.get(`${key} ${test}`)) ?? "none";

  const makeItems = async (entries: Entry[]) => {
    made.push(...entries.map(({ id }) => `item ${id}`));
    return await Promise.all(
      entries.map(async ({ id, stamp }) => {
        const tweet = { id, text: await valueOf(`item ${id}`) };
        return tweet.text === "hidden" ? undefined : ({ tweet, stamp } as unknown as FeedItem);
      }),
    );
  };
  const makeHtml = async (placed: PlacedItem[]) => {
    made.push(...placed.map(({ item }) => `html ${item.tweet.id}`));
    return await Promise.all(
      placed.map(async ({ item: { tweet }, place }) => {
        const html = `${place}${tweet.text} ${await valueOf(`html ${tweet.id}`)}`;
        return { html: Buffer.from(html), until };
      }),
    );
  };
  const makeBeside = async () => ({ text: await valueOf("beside") });
  const beside = async () => await list.value(world.ctx, "beside", makeBeside);
  const items = async (ids: string[], stamp = 1) =>
    await list.items(
      world.ctx,
      ids.map((id) => ({ id, stamp })),
      makeItems,
    );
  const html = async (shown: (FeedItem | undefined)[], place: string) => {
    const placed = shown.flatMap((item) => (item === undefined ? [] : { item, place }));
    return (await list.html(world.ctx, placed, makeHtml)).map((one) => String(one?.html));
  };

  /** A page with these entries, and its inputs. */
  const page = async (ids: string[], { stamp = 1, place = "" } = {}) => {
    list.begin();
    const recording = new Recording(world.ctx.now());
    const shown = await recorded(recording, async () => html(await items(ids, stamp), place));
    return { shown, recording };
  };
  /** What the next page makes. */
  const madeFor = async (...asked: Parameters<typeof page>) => {
    made = [];
    await page(...asked);
    return made;
  };

  /** What a page makes that reads its list in two parts. */
  const madeInParts = async () => {
    made = [];
    list.begin();
    await recorded(new Recording(world.ctx.now()), async () =>
      html([...(await items(["one"])), ...(await items(["two"]))], ""),
    );
    return made;
  };

  it("items and their HTML are made once, and again when their inputs change", async () => {
    await set("item new", "2");
    await page(["old"]);
    const { shown } = await page(["new", "old"]);
    expect(shown).toEqual(["2 none", "none none"]);
    expect(made).toEqual(["item old", "html old", "item new", "html new"]);
    await set("item old", "3");
    expect((await page(["new", "old"])).shown).toEqual(["2 none", "3 none"]);
    await set("html new", "4");
    expect((await page(["new", "old"])).shown).toEqual(["2 4", "3 none"]);
    expect(await madeFor(["new", "old"])).toEqual([]);
  });

  it("the page is no longer good when an input of any part changes", async () => {
    for (const key of ["item old", "html old", "item new", "html new"]) {
      await page(["old"]);
      const { recording } = await page(["old", "new"]);
      expect([key, recording.isGood(world.ctx.now())]).toEqual([key, true]);
      await set(key, "2");
      expect([key, recording.isGood(world.ctx.now())]).toEqual([key, false]);
    }
  });

  it("parts that were made for one page share their inputs, others do not", async () => {
    await page(["one", "two"]);
    await page(["one", "two", "three"]);
    await set("html one", "1");
    expect(await madeFor(["two", "three"])).toEqual(["item two", "html two"]);
  });

  it("an item that is hidden is kept as hidden until its inputs change", async () => {
    await set("item one", "hidden");
    expect((await page(["one"])).shown).toEqual([]);
    expect((await page(["one"])).shown).toEqual([]);
    expect(made).toEqual(["item one"]);
    await set("item one", "1");
    expect((await page(["one"])).shown).toEqual(["1 none"]);
  });

  it("an item is made anew at another stamp, and its HTML in another place", async () => {
    await page(["one"]);
    expect(await madeFor(["one"], { stamp: 2 })).toEqual(["item one", "html one"]);
    expect(await madeFor(["one"], { stamp: 2, place: "first " })).toEqual(["html one"]);
    expect((await page(["one"], { stamp: 2, place: "first " })).shown).toEqual(["first none none"]);
  });

  it("HTML is made anew once a time in it changes, without its item and without its neighbours", async () => {
    until = world.ctx.now() + 60_000;
    await page(["one"]);
    until = Infinity;
    await page(["one", "two"]);
    expect(await madeFor(["one", "two"])).toEqual([]);
    world.pass(60_000);
    expect(await madeFor(["one", "two"])).toEqual(["html one"]);
    expect(await madeFor(["one", "two"])).toEqual([]);
  });

  it("what was not on the last page is forgotten, and a page may read its list in several parts", async () => {
    await page(["one"]);
    await page(["two"]);
    expect(await madeFor(["one"])).toEqual(["item one", "html one"]);
    expect(await madeInParts()).toEqual(["item two", "html two"]);
    expect(await madeInParts()).toEqual([]);
  });

  it("all parts are made together again after many pages, and share their inputs", async () => {
    const all = Array.from({ length: 36 }, (_, nth) => `part ${nth}`);
    const sizes: number[] = [];
    for (const nth of all.keys()) sizes.push((await madeFor(all.slice(0, nth + 1))).length / 2);
    expect(sizes).toEqual([...Array.from({ length: 32 }, () => 1), 33, 1, 1, 1]);
  });

  it("a value beside the list is the same object until its inputs change, as then the page does", async () => {
    const read = async () => {
      list.begin();
      const recording = new Recording(world.ctx.now());
      return { value: await recorded(recording, beside), recording };
    };
    const first = await read();
    const second = await read();
    expect(second.value).toBe(first.value);
    await set("beside", "1");
    expect(second.recording.isGood(world.ctx.now())).toBe(false);
    expect((await read()).value).toEqual({ text: "1" });
  });

  it("everything is made each time where no inputs are recorded", async () => {
    await items(["one"]);
    await html(await items(["one"]), "");
    expect(made).toEqual(["item one", "item one", "html one"]);
    expect(await beside()).not.toBe(await beside());
  });
});
