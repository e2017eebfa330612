import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fitXml } from "../../../../src/web/layout/text.ts";
import { hostileTexts } from "../../../support/data/hostile-texts.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { all, type Element, one, parseXml } from "../../../support/inspect/xml.ts";

describe("hostile feeds", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://suzume.example" });
  });
  afterAll(() => world.close());

  const read = async (path: string) => {
    const { text, body } = await world.visitor().get(path).buffer().expect(200);
    return text ?? (body as Buffer).toString();
  };

  it("feeds show hostile input as text", async () => {
    const crook = await world.newcomer("crook");
    for (const text of hostileTexts) {
      const fullname = text.slice(0, 50);
      await crook.post("/settings/profile", { fullname, bio: text }).expect(303);
      await crook.tweet(text);
      await world.delivered();
      const shown = fitXml(text).trim();
      const name = fitXml(fullname);
      const channel = one(parseXml(await read("/@crook.rss")), "channel");
      expect(squeezed(one(channel, "title").text)).toBe(squeezed(`${name} (@crook)`));
      expect(squeezed(one(channel, "description").text)).toBe(squeezed(shown));
      const feed = parseXml(await read("/@crook.atom"));
      expect(squeezed(one(one(feed, "author"), "name").text)).toBe(squeezed(`${name} (@crook)`));
      const { items } = JSON.parse(await read("/@crook.json")) as { items: Item[] };
      expect(squeezed(items[0]?.title ?? "")).toBe(squeezed(shown));
      for (const { content_html: html } of items) expectTame(html);
      for (const entry of [...all(channel, "item"), ...all(feed, "entry")])
        expectTame(entry.children.find((child) => child.name.startsWith("content"))?.text ?? "");
      for (const title of titlesOf(channel, feed)) expect(title).not.toMatch(/[<>]/);
    }
  });
});

interface Item {
  title: string;
  content_html: string;
}

const squeezed = (raw: string) => raw.replaceAll(/\s+/g, " ").trim();

/** No element but those that Suzume makes itself, no attribute but theirs. */
function expectTame(html: string): void {
  const own = /<(?:p|\/p|br \/|\/a|\/?blockquote|a href="[^"<>]*"(?: rel="[\w ]+")?)>/g;
  expect(html.replaceAll(own, "")).not.toMatch(/[<>]/);
  const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
  for (const href of hrefs) expect(href).toMatch(/^https?:\/\//);
}

function titlesOf(channel: Element, feed: Element): string[] {
  const items = [...all(channel, "item"), ...all(feed, "entry")];
  return items.map((item) => one(item, "title").text);
}
