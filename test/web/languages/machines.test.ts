import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLanguages } from "../../../src/web/languages/translator.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { one, parseXml } from "../../support/inspect/xml.ts";

const base = "https://suzume.example";
const words = readLanguages().words("ja");

describe("machine-readable documents", () => {
  let world: World;
  let reader: Visitor;
  let retweeted: string;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: base });
    const author = await world.newcomer("author");
    const friend = await world.newcomer("friend");
    await friend.tweet("おはよう");
    await world.delivered();
    const [tweet] = await friend.see("/@friend");
    retweeted = tweet?.id ?? "";
    await author.post(`/tweets/${retweeted}/retweet`).expect(303);
    await world.delivered();
    reader = world.visitor();
    reader.agent.set("Accept-Language", "ja,en;q=0.5");
  });
  afterAll(() => world.close());

  const read = async (path: string) => {
    const { text, body, headers } = await reader.get(path).buffer().expect(200);
    return { text: text ?? (body as Buffer).toString(), headers };
  };

  it.each(["rss", "atom", "json"])(
    "a machine-readable document speaks Japanese to clients that ask for it: .%s",
    async (format) => {
      const { text, headers } = await read(`/@author.${format}`);
      expect(text).toContain(words.t("feed.description", { name: "author", site: "Suzume" }));
      expect(text).toContain(words.t("feed.retweet", { name: "friend", text: "おはよう" }));
      const [before, after] = words.t("feed.retweetByline", { person: "@" }).split("@");
      const plain = text.replaceAll("\\", "");
      expect(plain).toContain(
        `<p>${before}<a href="${base}/@friend">@friend</a>${after}</p><blockquote>`,
      );
      expect(headers).toMatchObject({ vary: expect.stringContaining("Accept-Language") as string });
      expect(headers["content-language"]).toBe("ja");
    },
  );

  it("the head of a page names feeds and the locale in its language", async () => {
    const { text } = await read("/@author");
    expect(text).toContain(`title="${words.t("feed.link", { name: "author", format: "RSS" })}"`);
    expect(text).toContain('<meta property="og:locale" content="ja_JP">');
    const site = await read("/");
    expect(site.text).toContain(`property="og:description" content="${words.t("machine.site")}"`);
    const english = await world.visitor().get("/").expect(200);
    expect(english.text).toContain('<meta property="og:locale" content="en_US">');
  });

  it("the manifest and the search description are in the reader's language", async () => {
    const manifest = JSON.parse((await read("/manifest.webmanifest")).text) as object;
    expect(manifest).toMatchObject({
      lang: "ja",
      name: "Suzume",
      short_name: "Suzume",
      description: words.t("machine.site"),
      shortcuts: [{ name: words.t("machine.write") }, {}, {}],
    });
    const search = parseXml((await read("/opensearch.xml")).text);
    expect(one(search, "Description").text).toBe(words.t("machine.search", { site: "Suzume" }));
  });

  it("other sites are told the time of a tweet in their language", async () => {
    const { text } = await read(`/oembed?url=${encodeURIComponent(`${base}/tweets/${retweeted}`)}`);
    expect((JSON.parse(text) as { html: string }).html).toMatch(/\d年\d+月\d+日/);
  });

  it("machine-readable documents are cached without regard to a cookie's language", async () => {
    const chooser = world.visitor();
    await chooser.post("/language", { language: "ja", next: "/" }).expect(303);
    expect((await chooser.get("/")).text).toContain('<html lang="ja">');
    for (const path of ["/@author.json", "/opensearch.xml", "/manifest.webmanifest"]) {
      const { headers } = await chooser.get(path).expect(200);
      expect([path, headers["content-language"]]).toEqual([path, "en"]);
      expect(headers["cache-control"]).toMatch(/^public, /);
    }
  });

  it("documents without words have no language header", async () => {
    for (const path of ["/robots.txt", "/sitemap.xml", "/.well-known/security.txt"]) {
      const { headers } = await reader.get(path).expect(200);
      expect(headers["content-language"]).toBeUndefined();
      expect(headers["vary"] ?? "").not.toContain("Accept-Language");
    }
  });
});
