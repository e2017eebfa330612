import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileTexts } from "../support/data/hostile-texts.ts";
import { hiddenFields, olderOn, peopleOn, tweetsOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { all, one, parseXml } from "../support/inspect/xml.ts";

const base = "https://suzume.example";

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
/** The part of a page under a heading. */
const under = (html: string, heading: string) =>
  new RegExp(`<h2[^>]*>${heading}</h2>(.*?)</section>`, "s").exec(html)?.[1] ?? "";
const metaOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="((?:og|twitter):\w+)" content="([^"]*)">/g)].map(
      ([, property = "", content = ""]) => [property, content],
    ),
  );

describe("discovery", () => {
  let world: World;
  let newcomer: Visitor;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: base });
    ann = await world.newcomer("ann");
    const bob = await world.newcomer("bob");
    for (const name of ["cat", "dan"]) await world.newcomer(name);
    for (const name of ["cat", "dan"]) await ann.follow(name);
    for (const name of ["ann", "cat"]) await bob.follow(name);
    newcomer = await world.newcomer("newcomer");
  });
  afterAll(() => closeChecked(world));

  it("a new user without followings is shown the newest users", async () => {
    const home = await page(newcomer, "/");
    expect(peopleOn(home)).toEqual(["dan", "cat", "bob", "ann"]);
    const explore = await page(newcomer, "/explore");
    expect(explore).not.toContain("Who to follow");
    expect(peopleOn(under(explore, "New people"))).toContain("ann");
    expect(await page(world.visitor(), "/explore")).not.toContain("Who to follow");
  });

  it("a new user is shown the followings of those they follow", async () => {
    await newcomer.follow("ann");
    const home = await page(newcomer, "/");
    expect(peopleOn(home)).toEqual(["dan", "cat"]);
    expect(home).toContain("Followed by @ann<");
    await newcomer.follow("bob");
    const explore = under(await page(newcomer, "/explore"), "Who to follow");
    expect(peopleOn(explore)).toEqual(["cat", "dan"]);
    expect(explore).toContain("Followed by @bob and @ann<");

    const next = hiddenFields(explore, "/@cat/follow")["next"] ?? "";
    const answer = await newcomer.post("/@cat/follow", { next }).expect(303);
    expect(answer.headers["location"]).toBe("/explore");
    expect(peopleOn(under(await page(newcomer, "/explore"), "Who to follow"))).toEqual(["dan"]);
    const eve = await world.newcomer("eve");
    for (const name of ["ann", "bob"]) await eve.follow(name);
    const hers = under(await page(eve, "/explore"), "Who to follow");
    expect(peopleOn(hers)).toEqual(["cat", "dan"]);
    for (const name of ["cat", "dan"]) await newcomer.follow(name);
    expect(await page(newcomer, "/explore")).not.toContain("Who to follow");
  });

  it("a new user finds a feed, which a program reads", async () => {
    await ann.tweet("Subscribe & listen");
    await world.delivered();
    const profile = await page(newcomer, "/@ann");
    const [, href = ""] = /type="application\/rss\+xml" href="([^"]*)"/.exec(profile) ?? [];
    const feed = await page(world.visitor(), new URL(href).pathname);
    const [item] = all(one(parseXml(feed), "channel"), "item");
    expect(item && one(item, "title").text).toBe("Subscribe &amp; listen");
    const path = item && new URL(one(item, "link").text).pathname;
    expect(await page(world.visitor(), path ?? "")).toContain("Subscribe &amp; listen");
  });

  it("a new user shares a tweet, which other sites can embed", async () => {
    const [tweet] = await newcomer.see("/@ann");
    const path = `/tweets/${tweet?.id}`;
    const shared = await page(world.visitor(), path);
    expect(metaOf(shared)).toEqual({
      "twitter:card": "summary",
      "og:type": "article",
      "og:locale": "en_US",
      "og:title": "Test ann (@ann)",
      "og:description": "Subscribe &amp; listen",
      "og:url": `${base}${path}`,
      "og:image": expect.stringMatching(`^${base}/`),
      "og:site_name": "Suzume",
    });
    const image = new URL(metaOf(shared)["og:image"] ?? "").pathname;
    await world.visitor().get(image).expect(200);
    const [, href = ""] = /type="application\/json\+oembed" href="([^"]*)"/.exec(shared) ?? [];
    const embed = await world.visitor().get(`${new URL(href).pathname}${new URL(href).search}`);
    expect(embed.body).toMatchObject({ type: "rich", author_name: "Test ann" });

    expect(metaOf(await page(world.visitor(), "/@ann"))).toMatchObject({
      "og:type": "profile",
      "og:title": "Test ann (@ann)",
      "og:url": `${base}/@ann`,
    });
    expect(metaOf(await page(world.visitor(), "/explore"))).toMatchObject({
      "og:type": "website",
      "og:title": "Suzume",
      "og:url": `${base}/`,
    });
  });

  it("a new user pins a tweet to the profile, until it is deleted", async () => {
    await newcomer.tweet("Hello, I am new here");
    for (const text of ["second", "third"]) await newcomer.tweet(text);
    await world.delivered();
    const mine = await newcomer.see("/@newcomer");
    const first = mine.at(-1)?.id ?? "";
    const menu = await page(newcomer, `/tweets/${first}`);
    expect(menu).toContain(`formaction="/tweets/${first}/pin"`);
    expect(await page(ann, `/tweets/${first}`)).not.toContain("/pin");
    const hidden = hiddenFields(menu, `/tweets/${first}/delete`);
    const answer = await newcomer.post(`/tweets/${first}/pin`, hidden).expect(303);
    expect(answer.headers["location"]).toContain("/@newcomer");

    const texts = ["Hello, I am new here", "third", "second"];
    for (const visitor of [newcomer, ann, world.visitor()]) {
      const profile = await page(visitor, "/@newcomer");
      expect(tweetsOn(under(profile, "Pinned")).map(({ id }) => id)).toEqual([first]);
      expect(tweetsOn(profile).map(({ text }) => text)).toEqual(texts);
    }
    // Elsewhere it stands where it always stood.
    expect((await newcomer.see("/@newcomer/replies")).map(({ id }) => id)).toEqual(
      mine.map(({ id }) => id),
    );
    const unpin = `formaction="/tweets/${first}/unpin"`;
    expect(await page(newcomer, `/tweets/${first}`)).toContain(unpin);
    await ann.post(`/tweets/${first}/unpin`).expect(403);
    await ann.post(`/tweets/${first}/pin`).expect(403);
    await world.visitor().post(`/tweets/${first}/pin`).expect(303);

    await newcomer.post(`/tweets/${first}/delete`).expect(303);
    const after = await page(ann, "/@newcomer");
    expect(after).not.toContain("Pinned");
    expect(tweetsOn(after).map(({ text }) => text)).toEqual(["third", "second"]);
  });

  it("a pinned tweet is on the first page only, and every other tweet is listed once", async () => {
    const busy = await world.newcomer("busy");
    for (let nth = 1; nth <= 60; nth += 1) await busy.tweet(`number ${nth}`);
    await world.delivered();
    const [newest] = await busy.see("/@busy");
    await busy.post(`/tweets/${newest?.id}/pin`).expect(303);
    const shown = await world.visitor().readAll("/@busy");
    expect(shown.map(({ text }) => text)).toEqual(
      Array.from({ length: 60 }, (_, nth) => `number ${60 - nth}`),
    );
    const older = olderOn(await page(busy, "/@busy")) ?? "";
    expect(await page(busy, older)).not.toContain("Pinned");
  });

  it("user text never becomes part of a page's head", async () => {
    const crook = await world.newcomer("crook");
    for (const text of hostileTexts) {
      await crook.post("/settings/profile", { fullname: text.slice(0, 50), bio: text }).expect(303);
      await crook.tweet(text);
      await world.delivered();
      const [tweet] = await crook.see("/@crook");
      for (const path of ["/@crook", `/tweets/${tweet?.id}`]) {
        const [head = ""] = (await page(world.visitor(), path)).split("</head>");
        const tags = [...head.matchAll(/<[^>]*>/g)].map(([tag]) =>
          tag.replaceAll(/"[^"]*"/g, '""'),
        );
        for (const tag of tags)
          expect(tag).toMatch(
            /^<(?:!DOCTYPE html|\/?(?:html|head|title)|\/script|(?:meta|link|html|script)( [\w-]+="")+)>$/,
          );
        const between = head.replaceAll(/<title>[^<]*<\/title>/g, "").replaceAll(/<[^>]*>/g, "");
        expect(between.trim()).toBe("");
      }
    }
  });
});
