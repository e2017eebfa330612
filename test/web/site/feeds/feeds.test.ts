import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSecureHeaders } from "../../../support/inspect/secure-headers.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { all, one, parseXml } from "../../../support/inspect/xml.ts";

const base = "https://suzume.example";
const atomSpace = "http://www.w3.org/2005/Atom";
const rfc822 = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

interface JsonFeed {
  version: string;
  title: string;
  home_page_url: string;
  feed_url: string;
  description: string;
  authors: { name: string; url: string }[];
  items: {
    id: string;
    url: string;
    title: string;
    content_html: string;
    date_published: string;
    authors: { name: string; url: string }[];
  }[];
}

describe("feeds", () => {
  let world: World;
  let author: Visitor;
  let friend: Visitor;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: base });
    author = await world.newcomer("Writer");
    friend = await world.newcomer("friend");
  });
  afterAll(() => world.close());

  const read = async (path: string) => {
    const { text, body } = await world.visitor().get(path).buffer().expect(200);
    return text ?? (body as Buffer).toString();
  };
  const rss = async (name: string) => one(parseXml(await read(`/@${name}.rss`)), "channel");
  const atom = async (name: string) => parseXml(await read(`/@${name}.atom`));
  const json = async (name: string) => JSON.parse(await read(`/@${name}.json`)) as JsonFeed;

  it("feeds have a user's tweets and retweets in three formats, newest first", async () => {
    await author.tweet("Morning, @friend & all!\nSee https://example.org/a?b=1&c=2 #雀");
    await world.delivered();
    const [own] = await author.see("/@writer");
    await friend.tweet("A friend's words");
    await world.delivered();
    const [theirs] = await friend.see("/@friend");
    await author.post(`/tweets/${theirs?.id}/retweet`).expect(303);
    await world.delivered();

    const titles = ["Retweeted @friend: A friend's words", expect.stringMatching(/^Morning, @f/)];
    const links = [`${base}/tweets/${theirs?.id}`, `${base}/tweets/${own?.id}`];
    const feed = await json("writer");
    expect(feed.items.map((item) => item.title)).toEqual(titles);
    expect(feed.items.map((item) => item.url)).toEqual(links);
    expect(feed.items[0]?.id).not.toBe(feed.items[0]?.url);
    expect(feed.items[0]?.authors[0]?.url).toBe(`${base}/@friend`);
    expect(feed.items[1]?.content_html).toBe(
      `<p>Morning, <a href="${base}/@friend">@friend</a> &amp; all!<br />See ` +
        `<a href="https://example.org/a?b=1&amp;c=2" rel="nofollow noopener ugc">` +
        `example.org/a?b=1&amp;c=2</a> <a href="${base}/tags/%E9%9B%80">#雀</a></p>`,
    );
    const items = all(await rss("writer"), "item");
    expect(items.map((item) => one(item, "link").text)).toEqual(links);
    expect(items.map((item) => one(item, "content:encoded").text)).toEqual(
      feed.items.map((item) => item.content_html),
    );
    const entries = all(await atom("writer"), "entry");
    expect(entries.map((entry) => one(entry, "link").attributes["href"])).toEqual(links);
    expect(entries.map((entry) => one(entry, "id").text)).toEqual(feed.items.map(({ id }) => id));
    expect(entries.map((entry) => one(one(entry, "author"), "uri").text)).toEqual([
      `${base}/@friend`,
      `${base}/@Writer`,
    ]);
  });

  it("RSS 2.0 feeds are valid", async () => {
    const document = parseXml(await read("/@writer.rss"));
    expect(document).toMatchObject({ name: "rss", attributes: { version: "2.0" } });
    const channel = one(document, "channel");
    expect(one(channel, "title").text).toBe("Test Writer (@Writer)");
    expect(one(channel, "link").text).toBe(`${base}/@Writer`);
    expect(one(channel, "description").text).not.toBe("");
    expect(one(channel, "lastBuildDate").text).toMatch(rfc822);
    expect(one(channel, "atom:link")).toMatchObject({
      space: atomSpace,
      attributes: { rel: "self", type: "application/rss+xml", href: `${base}/@Writer.rss` },
    });
    const items = all(channel, "item");
    expect(items.length).toBeGreaterThan(1);
    const guids = items.map((item) => one(item, "guid"));
    expect(new Set(guids.map((guid) => guid.text)).size).toBe(items.length);
    for (const item of items) {
      expect(one(item, "title").text).not.toBe("");
      expect(one(item, "description").text).not.toBe("");
      expect(one(item, "pubDate").text).toMatch(rfc822);
      expect(one(item, "guid").attributes["isPermaLink"]).toBe("false");
      expect(one(item, "dc:creator")).toMatchObject({ space: "http://purl.org/dc/elements/1.1/" });
      // It would have to be an e-mail address.
      expect(all(item, "author")).toEqual([]);
    }
  });

  it("Atom feeds are valid", async () => {
    const feed = await atom("writer");
    expect(feed).toMatchObject({ name: "feed", space: atomSpace });
    expect(one(feed, "id").text).toBe(`${base}/@Writer`);
    expect(one(feed, "title").text).toBe("Test Writer (@Writer)");
    expect(one(feed, "updated").text).toMatch(rfc3339);
    expect(one(one(feed, "author"), "name").text).toBe("Test Writer (@Writer)");
    const links = all(feed, "link").map(({ attributes }) => [
      attributes["rel"],
      attributes["href"],
    ]);
    expect(links).toEqual([
      ["alternate", `${base}/@Writer`],
      ["self", `${base}/@Writer.atom`],
    ]);
    const entries = all(feed, "entry");
    expect(entries.length).toBeGreaterThan(1);
    for (const entry of entries) {
      expect(URL.canParse(one(entry, "id").text)).toBe(true);
      expect(one(entry, "title").attributes["type"]).toBe("html");
      expect(one(entry, "content").attributes["type"]).toBe("html");
      expect(one(entry, "updated").text).toMatch(rfc3339);
      expect(one(entry, "published").text).toMatch(rfc3339);
    }
  });

  it("JSON Feed 1.1 feeds are valid", async () => {
    const feed = await json("writer");
    expect(feed).toMatchObject({
      version: "https://jsonfeed.org/version/1.1",
      title: "Test Writer (@Writer)",
      home_page_url: `${base}/@Writer`,
      feed_url: `${base}/@Writer.json`,
      authors: [{ name: "Test Writer (@Writer)", url: `${base}/@Writer` }],
    });
    for (const item of feed.items) {
      expect(item.id).not.toBe("");
      expect(item.content_html).not.toBe("");
      expect(item.date_published).toMatch(rfc3339);
    }
  });

  it("feeds of users without tweets are valid", async () => {
    await world.newcomer("silent");
    expect(all(await rss("silent"), "item")).toEqual([]);
    expect(all(await atom("silent"), "entry")).toEqual([]);
    expect((await json("silent")).items).toEqual([]);
  });

  it("feeds have the newest fifty tweets, and no replies to others", async () => {
    const busy = await world.newcomer("busy");
    for (let nth = 1; nth <= 52; nth += 1) await busy.tweet(`number ${nth}`);
    await friend.tweet("a question");
    await world.delivered();
    const [question] = await friend.see("/@friend");
    await busy.post("/tweets", { text: "an answer", reply_to: question?.id ?? "" }).expect(303);
    await world.delivered();
    const { items } = await json("busy");
    expect(items.map((item) => item.title)).toEqual(
      Array.from({ length: 50 }, (_, nth) => `number ${52 - nth}`),
    );
    expect(all(await rss("busy"), "item")).toHaveLength(50);
    expect(all(await atom("busy"), "entry")).toHaveLength(50);
  });

  it("feeds are the same for all readers, and may be cached for a while", async () => {
    for (const [ending, type] of [
      ["rss", "application/rss+xml"],
      ["atom", "application/atom+xml"],
      ["json", "application/feed+json"],
    ]) {
      const answer = await author.get(`/@writer.${ending}`).expect(200);
      expect(answer.headers["content-type"]).toBe(`${type}; charset=utf-8`);
      expect(answer.headers["cache-control"]).toMatch(/^public, max-age=\d+$/);
      expect(answer.headers["vary"] ?? "").not.toMatch(/cookie/i);
      expect(answer.headers["set-cookie"]).toBeUndefined();
      expectSecureHeaders(answer);
      const again = author.get(`/@writer.${ending}`);
      await again.set("If-None-Match", answer.headers["etag"] ?? "").expect(304);
    }
  });

  it("feeds exist for existing users only", async () => {
    for (const path of ["/@nobody.rss", "/@nobody.atom", "/@a.b.json", "/@writer.xml"])
      await world.visitor().get(path).expect(404);
  });

  it("a profile links to its feeds", async () => {
    const { text } = await world.visitor().get("/@writer").expect(200);
    const links = [...text.matchAll(/<link rel="alternate" type="([^"]*)" href="([^"]*)"/g)];
    expect(links.map(([, type, href]) => [type, href])).toEqual([
      ["application/rss+xml", `${base}/@Writer.rss`],
      ["application/atom+xml", `${base}/@Writer.atom`],
      ["application/feed+json", `${base}/@Writer.json`],
    ]);
  });
});
