import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exec } from "../../../../src/redis/exec.ts";
import { keys } from "../../../../src/redis/keys.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { all, one, parseXml } from "../../../support/inspect/xml.ts";

const base = "https://suzume.example";
const space = "http://www.sitemaps.org/schemas/sitemap/0.9";

describe("robots.txt and the sitemap", () => {
  let world: World;
  let author: Visitor;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: base });
    author = await world.newcomer("author");
    await author.tweet("kept");
    await author.tweet("deleted");
    await world.delivered();
    const [gone, kept] = await author.see("/@author");
    await author.post(`/tweets/${gone?.id}/delete`).expect(303);
    await author.post(`/tweets/${kept?.id}/retweet`).expect(303);
    await world.delivered();
  });
  afterAll(() => world.close());

  const read = async (path: string) => {
    const { text, headers } = await world.visitor().get(path).expect(200);
    expect(headers["content-type"]).toBe("application/xml; charset=utf-8");
    expect(headers["cache-control"]).toMatch(/^public, max-age=\d+$/);
    expect(headers["set-cookie"]).toBeUndefined();
    return parseXml(text);
  };
  const places = async (path: string) => {
    const root = await read(path);
    expect(root.space).toBe(space);
    return root.children.map((child) => one(child, "loc").text);
  };

  it("robots.txt keeps search engines out of private pages", async () => {
    const { text, headers } = await author.get("/robots.txt").expect(200);
    expect(headers["content-type"]).toMatch(/^text\/plain/);
    expect(headers["cache-control"]).toMatch(/^public/);
    expect(text).toMatch(/^User-agent: \*\n/);
    for (const path of ["/settings", "/admin", "/search", "/notifications", "/api/"])
      expect(text).toContain(`\nDisallow: ${path}\n`);
    expect(text).not.toContain("Disallow: /\n");
    expect(text).toContain(`\nSitemap: ${base}/sitemap.xml\n`);
  });

  it("the sitemap index names existing parts", async () => {
    const parts = await places("/sitemap.xml");
    expect(parts).toEqual([`${base}/sitemap/people.xml`, `${base}/sitemap/tweets/1.xml`]);
    for (const part of parts) await read(new URL(part).pathname);
  });

  it("the sitemap names users and live tweets", async () => {
    expect(await places("/sitemap/people.xml")).toEqual([
      `${base}/`,
      `${base}/explore`,
      `${base}/@author`,
    ]);
    const [kept] = await author.see("/@author");
    const urls = all(await read("/sitemap/tweets/1.xml"), "url");
    expect(urls).toHaveLength(1);
    for (const url of urls) {
      await world
        .visitor()
        .get(new URL(one(url, "loc").text).pathname)
        .expect(200);
      expect(one(url, "lastmod").text).toMatch(/^\d{4}-\d\d-\d\dT/);
    }
    expect(kept).toBeDefined();
  });

  it("the sitemap ends at the last tweet", async () => {
    for (const id of ["0", "2", "01", "100", "x"])
      await world.visitor().get(`/sitemap/tweets/${id}.xml`).expect(404);
  });

  it("a sitemap page has at most 1,000 tweets", async () => {
    const other = await createWorld({ baseUrl: base }, { workers: false });
    const stamps = Array.from({ length: 2500 }, (_, nth) => nth + 1);
    const user = { name: "many", fullname: "Many", created_at: 1 };
    await other.ctx.redis.hset(keys.user("1" as never), user);
    await exec(
      other.ctx.redis,
      stamps.flatMap((id) => [
        ["hset", keys.tweet(String(id) as never), "text", "a", "user_id", 1, "created_at", id],
        ["zadd", keys.globalTimeline, id, id],
      ]),
    );
    const { text } = await other.visitor().get("/sitemap.xml").expect(200);
    const parts = parseXml(text).children.map((part) => new URL(one(part, "loc").text).pathname);
    expect(parts).toHaveLength(4);
    const found: string[] = [];
    for (const part of parts.slice(1)) {
      const page = await other.visitor().get(part).expect(200);
      const urls = all(parseXml(page.text), "url").map((url) => one(url, "loc").text);
      expect(urls.length).toBeLessThanOrEqual(1000);
      found.push(...urls);
    }
    await other.close();
    expect(found).toEqual(stamps.toReversed().map((id) => `${base}/tweets/${id}`));
  });
});
