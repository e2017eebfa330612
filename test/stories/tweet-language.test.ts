import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportTweetsCsv } from "../../src/domain/accounts/export.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { exportFile, importFile, textOf, rowsIn } from "../support/data/account-files.ts";
import { typedFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const site = "https://birds.example";
const day = 24 * 60 * 60 * 1000;

interface ApiStatus {
  id: string;
  url: string;
  language: string | null;
}

/** The opening tags of the texts of a page that say "雀" or "sparrow". */
const opened = (page: string) =>
  [...page.matchAll(/<[^>]*>(?=(?:雀|sparrow))/g)].map(([tag]) => tag);

describe("the language of a tweet", () => {
  let world: World;
  let ann: ApiClient;
  let bob: Visitor;
  let reader: Visitor;
  let status: ApiStatus;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: site });
    const writer = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    await bob.follow("ann");
    await writer.follow("bob");
    reader = world.visitor("ja");
    await reader.logIn("bob");
    ann = await ApiClient.of(world, "ann");
    status = await post({ status: "雀がいる", language: "ja" });
    await world.delivered();
  });
  afterAll(() => world.close());

  const post = async (fields: object) => {
    const { body } = await ann.post("/api/v1/statuses", fields).expect(200);
    return body as ApiStatus;
  };
  const put = async (id: string, fields: object) => {
    const test = ann.send("put", `/api/v1/statuses/${id}`);
    return (await test.send(fields).expect(200)).body as ApiStatus;
  };
  const pathOf = ({ url }: ApiStatus) => new URL(url).pathname;
  const pageOf = async (path: string, by = bob) => (await by.get(path).expect(200)).text;

  it("a status says the language that its app has given, or none", async () => {
    expect(status.language).toBe("ja");
    const { body } = await ann.get(`/api/v1/statuses/${status.id}`).expect(200);
    expect((body as ApiStatus).language).toBe("ja");
    for (const language of [undefined, null, "", "und"])
      expect((await post({ status: "sparrows", language })).language).toBeNull();
    await bob.tweet("a sparrow from the site");
    await world.delivered();
    const { body: home } = await ann.get("/api/v1/timelines/home").expect(200);
    expect((home as ApiStatus[])[0]?.language).toBeNull();
  });

  it("what is no language is refused with a sentence", async () => {
    for (const send of [
      () => ann.post("/api/v1/statuses", { status: "sparrow", language: "Japanese" }),
      () =>
        ann
          .send("put", `/api/v1/statuses/${status.id}`)
          .send({ status: "sparrow", language: "Japanese" }),
    ]) {
      const { body } = await send().expect(422);
      expect((body as { error: string }).error).toBe(
        "Validation failed: That is no code of a language, such as “ja” or “pt-BR”.",
      );
    }
  });

  it("pages name a language that is not their own, and no other", async () => {
    const warned = { status: "雀の話", spoiler_text: "雀", language: "ja" };
    const shown = await post(warned);
    await post({ status: "sparrow in English", language: "en" });
    await post({ status: "sparrow without" });
    await bob.tweet(`sparrow too ${status.url}`);
    await bob.post(`${pathOf(status)}/like`).expect(303);
    await world.delivered();
    const text = '<p class="tweet-text" dir="auto" lang="ja">';
    const plain = '<p class="tweet-text" dir="auto">';
    expect(opened(await pageOf("/@ann"))).toEqual(
      expect.arrayContaining([plain, '<span dir="auto" lang="ja">', text]),
    );
    expect(opened(await pageOf(pathOf(status)))).toContain(text);
    expect(opened(await pageOf("/@bob"))).toEqual([
      plain,
      '<p class="quote-text" dir="auto" lang="ja">',
    ]);
    expect(opened(await pageOf(pathOf(shown), reader))).not.toContain(text);
    const japanese = opened(await pageOf("/@ann", reader));
    expect(japanese).toContain('<p class="tweet-text" dir="auto" lang="en">');
    expect(japanese.filter((tag) => tag.includes('lang="ja"'))).toEqual([]);
    const notified = world.visitor();
    await notified.logIn("ann");
    expect(await pageOf("/notifications", notified)).toMatch(
      /<a class="notification-excerpt" href="[^"]*" dir="auto" lang="ja">雀がいる/,
    );
  });

  it("feeds and embedded tweets name it, too", async () => {
    const embed = await bob.get(`/oembed?url=${encodeURIComponent(status.url)}`).expect(200);
    expect((embed.body as { html: string }).html).toContain('<p dir="auto" lang="ja">雀がいる</p>');
    const { body } = await bob.get("/@ann.json").expect(200);
    const { items } = body as { items: { url: string; language?: string; content_html: string }[] };
    const of = (one: ApiStatus) => items.find(({ url }) => url === one.url);
    expect(of(status)).toMatchObject({
      language: "ja",
      content_html: '<p lang="ja">雀がいる</p>',
    });
    expect(items.filter(({ language }) => language === undefined).length).toBeGreaterThan(0);
    for (const ending of ["rss", "atom"]) {
      const feed = await bob.get(`/@ann.${ending}`).buffer(true).expect(200);
      expect(feed.text || String(feed.body)).toContain('<p lang="ja">雀がいる</p>');
    }
  });

  it("an edit changes it, keeps it or takes it away, and the history has each", async () => {
    const one = await post({ status: "sparrow one", language: "en" });
    expect((await put(one.id, { status: "雀が一羽", language: "ja" })).language).toBe("ja");
    expect((await put(one.id, { status: "雀が二羽" })).language).toBe("ja");
    expect((await put(one.id, { status: "雀が二羽", language: "ko" })).language).toBe("ko");
    const editor = world.visitor();
    await editor.logIn("ann");
    const path = `${pathOf(one)}/edit`;
    const fields = typedFields(await pageOf(path, editor), path);
    await editor.post(path, { ...fields, text: "雀が三羽" }).expect(303);
    const { body } = await ann.get(`/api/v1/statuses/${one.id}`).expect(200);
    expect((body as ApiStatus).language).toBe("ko");
    expect((await put(one.id, { status: "雀が三羽", language: "und" })).language).toBeNull();
    expect(opened(await pageOf(`${pathOf(one)}/history`))).toEqual(
      ["", ' lang="ko"', ' lang="ko"', ' lang="ja"', ' lang="ja"', ""].map(
        (language) => `<p class="tweet-text" dir="auto"${language}>`,
      ),
    );
  });

  it("an export has it, of earlier versions as well, and an import keeps it", async () => {
    const user = await getUserByName(world.ctx, "ann");
    const file = await exportFile(world.ctx, user.id);
    const { tweet: tweets = [], earlier_version: earlier = [] } = rowsIn(file);
    const languageOf = (rows: typeof tweets, wanted: string) =>
      rows.find((row) => row["text"] === wanted)?.["language"];
    expect(languageOf(tweets, "雀がいる")).toBe("ja");
    expect(languageOf(tweets, "sparrow without")).toBeUndefined();
    expect(languageOf(earlier, "雀が一羽")).toBe("ja");
    const csv = await textOf(exportTweetsCsv(world.ctx, { user, site }));
    expect(csv).toMatch(/"雀がいる","","","","ja","public"\r\n/);

    world.pass(2 * day);
    const heir = await world.newcomer("heir");
    const strange = file.toString().replace('"language":"en"', '"language":"nonsense"');
    const { id } = await getUserByName(world.ctx, "heir");
    await importFile(world.ctx, id, Buffer.from(strange));
    const page = await pageOf("/@heir", heir);
    expect(opened(page)).toContain('<p class="tweet-text" dir="auto" lang="ja">');
    expect(page).not.toContain("nonsense");
  });
});
