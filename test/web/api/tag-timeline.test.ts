import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the timeline of a hashtag", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    const author = await world.newcomer("author");
    for (const text of ["#a", "#a #b", "#a #c", "#b", "#b #c", "#d", "#a #b #c #d"])
      await author.tweet(text);
    await world.delivered();
  });
  afterAll(() => world.close());

  async function read(tag: string, query = ""): Promise<string[]> {
    const { body } = await request(world.app)
      .get(`/api/v1/timelines/tag/${tag}?${query}`)
      .expect(200);
    return (body as { content: string }[]).map(({ content }) => content.replaceAll(/<[^>]*>/g, ""));
  }

  it("any, all and none change which statuses are in the timeline of a hashtag", async () => {
    expect(await read("a")).toEqual(["#a #b #c #d", "#a #c", "#a #b", "#a"]);
    expect(await read("a", "any[]=B")).toEqual([
      "#a #b #c #d",
      "#b #c",
      "#b",
      "#a #c",
      "#a #b",
      "#a",
    ]);
    expect(await read("a", "all[]=b&all[]=c")).toEqual(["#a #b #c #d"]);
    expect(await read("a", "none[]=b")).toEqual(["#a #c", "#a"]);
    expect(await read("a", "any[]=b&all[]=c&none[]=d")).toEqual(["#b #c", "#a #c"]);
    expect(await read("a", "any[]=d&none[]=%23A")).toEqual(["#d"]);
  });

  it("the timeline of several hashtags can be read to its end", async () => {
    const all = await read("a", "any[]=b");
    const pages: string[] = [];
    let path = "/api/v1/timelines/tag/a?any[]=b&limit=2";
    while (path !== "") {
      const { body, headers } = await request(world.app).get(path).expect(200);
      pages.push(...(body as { content: string }[]).map(({ content }) => content));
      const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(headers["link"])) ?? [];
      path = next.replace(/^https?:\/\/[^/]+/, "");
    }
    expect(pages.map((content) => content.replaceAll(/<[^>]*>/g, ""))).toEqual(all);
  });

  it("four further hashtags of each kind count", async () => {
    expect(await read("x", "any[]=1x&any[]=2x&any[]=3x&any[]=d&any[]=a")).toEqual([
      "#a #b #c #d",
      "#d",
    ]);
  });
});
