import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileTexts } from "../../../support/data/hostile-texts.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { one, parseXml } from "../../../support/inspect/xml.ts";

const base = "https://suzume.example";

describe("oEmbed", () => {
  let world: World;
  let author: Visitor;
  let url: string;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: base });
    author = await world.newcomer("author");
    url = await say("Words & <signs>\nby https://example.org/?a=1&b=2");
  });
  afterAll(() => world.close());

  async function say(text: string): Promise<string> {
    await author.tweet(text);
    await world.delivered();
    const [tweet] = await author.see("/@author");
    return `${base}/tweets/${tweet?.id}`;
  }

  const ask = (query: Record<string, string>) => world.visitor().get("/oembed").query(query);

  it("oEmbed describes a tweet in JSON", async () => {
    const { body, headers } = await ask({ url }).expect(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["cache-control"]).toBe("public, max-age=600");
    expect(headers["set-cookie"]).toBeUndefined();
    expect(body).toMatchObject({
      version: "1.0",
      type: "rich",
      url,
      author_name: "Test author",
      author_url: `${base}/@author`,
      provider_name: "Suzume",
      provider_url: base,
      cache_age: 600,
      width: 550,
      height: null,
    });
    expect((body as { html: string }).html).toContain(
      `<p dir="auto">Words &amp; &lt;signs&gt;<br />by <a href="https://example.org/?a=1&amp;b=2" rel="nofollow noopener ugc">`,
    );
  });

  it("oEmbed describes a tweet in XML", async () => {
    const [json, xml] = [await ask({ url }), await ask({ url, format: "xml" }).expect(200)];
    expect(xml.headers["content-type"]).toBe("text/xml; charset=utf-8");
    const root = parseXml(xml.text);
    expect(root.name).toBe("oembed");
    for (const [name, value] of Object.entries(json.body as Record<string, string | number | null>))
      expect(one(root, name).text).toBe(value === null ? "" : String(value));
  });

  it("oEmbed respects the maximum width", async () => {
    for (const [maxwidth, width] of [
      ["300", 300],
      ["9000", 550],
      ["-1", 550],
      ["x", 550],
    ] as const)
      expect((await ask({ url, maxwidth }).expect(200)).body).toMatchObject({ width });
  });

  it("oEmbed knows the tweets of this site and nothing else", async () => {
    for (const other of [
      "",
      "nothing",
      `${base}/`,
      `${base}/@author`,
      `${base}/tweets/999`,
      `${base}/tweets/1/delete`,
      `${base}.evil.example/tweets/1`,
      "https://elsewhere.example/tweets/1",
      "file:///tweets/1",
      "javascript:/tweets/1",
    ])
      await ask({ url: other }).expect(404);
    await world.visitor().get("/oembed").expect(404);
    await world.visitor().get(`/oembed?url=${url}&url=${url}`).expect(404);
    await ask({ url, format: "yaml" }).expect(501);
    await ask({ url, format: "__proto__" }).expect(501);
  });

  it("oEmbed does not find a deleted tweet", async () => {
    const gone = await say("not for long");
    await ask({ url: gone }).expect(200);
    await author.post(`${new URL(gone).pathname}/delete`).expect(303);
    await ask({ url: gone }).expect(404);
  });

  it("oEmbed keeps user text apart from its own markup", async () => {
    for (const text of hostileTexts) {
      await author.post("/settings/profile", { fullname: text.slice(0, 50), bio: "" }).expect(303);
      const query = { url: await say(text) };
      const { html } = (await ask(query).expect(200)).body as { html: string };
      const own =
        /<(?:blockquote cite="[^"<>]*"|p dir="auto"|\/?bdi|br \/|\/(?:p|a|blockquote)|a href="[^"<>]*"(?: rel="[\w ]+")?)>/g;
      expect(html.replaceAll(own, "")).not.toMatch(/[<>]/);
      parseXml(html.replaceAll("&nbsp;", " "));
      const xml = parseXml((await ask({ ...query, format: "xml" }).expect(200)).text);
      expect(one(xml, "html").text).toBe(html);
    }
  });

  it("a tweet's page links to its oEmbed", async () => {
    const { text } = await world.visitor().get(new URL(url).pathname).expect(200);
    const links = [...text.matchAll(/<link rel="alternate" type="([^"]*)" href="([^"]*)"/g)];
    expect(links.map(([, type]) => type)).toEqual(["application/json+oembed", "text/xml+oembed"]);
    for (const [, , href = ""] of links) {
      const { pathname, search } = new URL(href.replaceAll("&amp;", "&"));
      await world.visitor().get(`${pathname}${search}`).expect(200);
    }
  });
});
