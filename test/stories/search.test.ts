import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { peopleOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

const search = (q: string, more = "") => `/search?q=${encodeURIComponent(q)}${more}`;
const textsAt = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map(({ text }) => text);

describe("search", () => {
  let world: World;
  let writer: Visitor;
  let reader: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    writer = await world.newcomer("writer");
    reader = await world.newcomer("reader");
  });
  afterAll(() => closeChecked(world));

  it("a tweet in two languages is found in every way, until it is deleted", async () => {
    const english = "Sparrows like breadcrumbs #Birds";
    const japanese = "雀はパンくずが好きです #日本語";
    await writer.tweet(english);
    await writer.tweet(japanese);
    await reader.tweet("Breadcrumbs are for ducks");
    await world.delivered();

    const own = "Breadcrumbs are for ducks";
    for (const visitor of [writer, reader, world.visitor()]) {
      expect(await textsAt(visitor, search("BREADCRUMBS"))).toEqual([own, english]);
      expect(await textsAt(visitor, search("breadcrumbs sparrows"))).toEqual([english]);
      expect(await textsAt(visitor, search("パンくず"))).toEqual([japanese]);
      expect(await textsAt(visitor, search("好き"))).toEqual([japanese]);
      expect(await textsAt(visitor, search("from:Writer"))).toEqual([japanese, english]);
      expect(await textsAt(visitor, search("#日本語"))).toEqual([japanese]);
      expect(await textsAt(visitor, search("#birds from:writer"))).toEqual([english]);
      expect(await textsAt(visitor, "/tags/birds")).toEqual([english]);
    }
    expect(await textsAt(reader, search("breadcrumbs", "&in=mine"))).toEqual([own]);
    expect(await textsAt(reader, search("breadcrumbs", "&in=following"))).toEqual([]);
    await reader.follow("writer");
    expect(await textsAt(reader, search("breadcrumbs", "&in=following"))).toEqual([english]);
    expect((await reader.get("/explore")).text).toContain('href="/tags/birds"');

    const [tweet] = await writer.see(search("#日本語"));
    await writer.post(`/tweets/${tweet?.id}/delete`).expect(303);
    for (const path of [
      search("パンくず"),
      search("#日本語"),
      `/tags/${encodeURIComponent("日本語")}`,
    ])
      for (const visitor of [writer, reader, world.visitor()])
        expect(await textsAt(visitor, path)).toEqual([]);
    expect(await textsAt(reader, search("from:writer"))).toEqual([english]);
  });

  it("a newcomer finds what is typed the way people type it", async () => {
    const bird = "The swallows of our Café 🐦";
    const bread = "雀がパンを食べた";
    await writer.tweet(bird);
    await writer.tweet(bread);
    await world.delivered();
    const newcomer = world.visitor();
    for (const q of ["swallow", "swallows", "cafe", "CAFÉS", '"our café"', "ｃａｆｅ"])
      expect([q, await textsAt(newcomer, search(`${q} from:writer`))]).toEqual([q, [bird]]);
    for (const q of ["食", "パ", "ぱん", '"雀が"'])
      expect([q, await textsAt(newcomer, search(q))]).toEqual([q, [bread]]);
    for (const q of ['"swallow"', '"café our"', "鳩"])
      expect([q, await textsAt(newcomer, search(q))]).toEqual([q, []]);

    await writer.post("/settings/profile", { fullname: "雀野 健太", bio: "" }).expect(303);
    const above = async (q: string) => {
      const { text } = await newcomer.get(search(q)).expect(200);
      return peopleOn(/aria-labelledby="top-people".*?<\/section>/s.exec(text)?.[0] ?? "");
    };
    await expect.poll(() => above("健太"), { timeout: 10_000 }).toEqual(["writer"]);
    expect(await above("雀野健")).toEqual(["writer"]);
    expect(await above("swallow")).toEqual([]);
    const { text } = await newcomer.get("/search/completions?q=%40健").expect(200);
    expect(text).toContain('data-text="@writer"');

    const [shown] = await writer.see(search("食"));
    await writer.post(`/tweets/${shown?.id}/delete`).expect(303);
    expect(await textsAt(newcomer, search("食"))).toEqual([]);
  });

  it("users are found by their current names", async () => {
    const path = "/search?people=1&q=";
    const named = async (q: string) => {
      const { text } = await reader.get(path + encodeURIComponent(q)).expect(200);
      return peopleOn(text);
    };
    const until = async (q: string, names: string[]) => {
      await expect.poll(() => named(q), { timeout: 10_000 }).toEqual(names);
    };
    await until("writ", ["writer"]);
    await writer.post("/settings/profile", { fullname: "山田 花子", bio: "" }).expect(303);
    await until("花", ["writer"]);
    await until("test w", []);
    await until("@WRIT", ["writer"]);
  });
});
