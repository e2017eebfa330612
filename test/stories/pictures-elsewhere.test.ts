import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { photo } from "../support/data/pictures.ts";
import { hiddenFields, tweetsOn } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("pictures in feeds and for moderators", () => {
  let world: World;
  let bob: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] });
    bob = await world.newcomer("bob");
  });
  afterAll(() => world.close());

  it("feeds tell the true size of a picture, and leave out those behind a cover", async () => {
    const eve = await world.newcomer("eve");
    await send(eve, { text: "seen", pictures: [await photo()] });
    await send(eve, { text: "covered", pictures: [await photo()], sensitive: true });
    const { text: page } = await bob.get("/@eve").expect(200);
    const tweet = tweetsOn(page).find(({ text }) => text === "seen");
    const { text: rss } = await bob.get("/@eve.rss").expect(200);
    const { body: json } = await bob.get("/@eve.json").expect(200);
    const [enclosure = ""] = /<enclosure [^>]*>/.exec(rss) ?? [];
    const [, url = ""] = / url="[^"]*(\/pictures\/[^"]*)"/.exec(enclosure) ?? [];
    const [, length] = / length="(\d+)"/.exec(enclosure) ?? [];
    const { body } = await bob.get(url).buffer(true).expect(200);
    expect(Number(length)).toBe((body as Buffer).length);
    expect(rss.match(/<enclosure/g)).toHaveLength(1);
    const { items } = json as { items: { attachments?: unknown[] }[] };
    expect(items.flatMap(({ attachments = [] }) => attachments)).toMatchObject([
      { size_in_bytes: (body as Buffer).length },
    ]);
    const preview = (id = "") => bob.get(`/tweets/${id}`).expect(200);
    expect((await preview(tweet?.id)).text).toMatch(/property="og:image" content="[^"]*pictures/);
    const covered = tweetsOn(page).find(({ text }) => text === "covered");
    expect((await preview(covered?.id)).text).not.toMatch(/og:image" content="[^"]*pictures/);
  });

  it("moderators see reported pictures behind a cover, and removing the tweet deletes the files", async () => {
    const boss = await world.newcomer("boss");
    const mallory = await world.newcomer("mallory");
    await send(mallory, { text: "bad", pictures: [await photo()] });
    const [tweet] = tweetsOn((await boss.get("/@mallory").expect(200)).text);
    await bob.post(`/tweets/${tweet?.id}/report`, { reason: "abuse", comment: "" }).expect(303);
    const { text: cases } = await boss.get("/admin/reports").expect(200);
    expect(cases).toMatch(/<details class="picture-cover"><summary><span>Reported pictures/);
    const [src = ""] = sources(cases);
    await boss.get(src).expect(200);
    const fields = { ...hiddenFields(cases, "/admin/reports"), note: "", verb: "remove" };
    await boss.post("/admin/reports", fields).expect(303);
    await bob.get(src).expect(404);
    expect(await world.ctx.storage?.find(src.slice("/pictures/".length))).toBeUndefined();
  });
});
