import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../support/actors/visitor.ts";
import { send } from "../support/actors/composer.ts";
import { photo } from "../support/data/pictures.ts";
import { alertsOn, hiddenFields, typedFields } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const site = "https://birds.example";
const warning = "How it <ends>";
const shown = "How it &lt;ends&gt;";
const secret = "The butler sings";

/** What is folded under the warning. */
const folded = (page: string) =>
  [...page.matchAll(/<details class="picture-cover"><summary>(.*?)<\/summary>(.*?)<\/details>/gs)]
    .filter(([, summary = ""]) => summary.includes(shown))
    .map(([, , under = ""]) => under);

describe("content warnings", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let url: string;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: site });
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    await bob.follow("ann");
    const { text: page } = await ann.get("/").expect(200);
    const fields = hiddenFields(page, "/tweets");
    await ann.post("/tweets", { ...fields, text: `${secret} @bob`, warning }).expect(303);
    await world.delivered();
    url = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
  });
  afterAll(() => closeChecked(world));

  it("lists and pages show the warning, with the text folded under it", async () => {
    const found = `/search?q=${encodeURIComponent("butler ends")}`;
    for (const path of ["/", "/@ann", url, found, "/explore", "/notifications"]) {
      const { text: page } = await bob.get(path).expect(200);
      expect([path, folded(page)]).toEqual([path, [expect.stringContaining(secret)]]);
      expect([path, page.split(secret).length]).toEqual([path, 2]);
    }
  });

  it("a quote shows the warning of the quoted tweet", async () => {
    await bob.tweet(`Read this ${site}${url}`);
    await world.delivered();
    const { text: page } = await ann.get("/@bob").expect(200);
    expect(page).toMatch(/<blockquote(?:(?!<\/blockquote>).)*<details class="picture-cover">/s);
    expect(folded(page)).toEqual([expect.stringContaining(secret)]);
  });

  it("what other sites, feeds and excerpts show is the warning, not the text", async () => {
    const { text: page } = await world.visitor().get(url).expect(200);
    for (const name of ['name="description"', 'property="og:description"'])
      expect(page).toContain(`<meta ${name} content="${shown}">`);
    const embed = await world.visitor().get(`/oembed?url=${encodeURIComponent(site + url)}`);
    expect(JSON.stringify(embed.body)).toContain(shown);
    expect(JSON.stringify(embed.body)).not.toContain(secret);
    for (const name of ["ann", "bob"])
      for (const ending of ["atom", "rss", "json"]) {
        const feed = await world.visitor().get(`/@${name}.${ending}`).buffer(true).expect(200);
        const body = feed.text || String(feed.body);
        expect([name, ending, body.includes(secret)]).toEqual([name, ending, false]);
        expect(body).toContain("How it ");
      }
    await bob.post(`${url}/like`).expect(303);
    await world.delivered();
    const { text: excerpt } = await ann.get("/notifications").expect(200);
    expect(excerpt).toMatch(/class="notification-excerpt"[^>]*>How it &lt;ends&gt;</);
    expect(excerpt).not.toContain(secret);
  });

  it("pictures are folded, too, without a second cover, and no preview shows them", async () => {
    const eve = await world.newcomer("eve");
    const typed = { text: "Seen", warning, pictures: [await photo()], sensitive: true };
    expect((await send(eve, typed)).status).toBe(303);
    const { text: page } = await bob.get("/@eve").expect(200);
    expect(folded(page)).toEqual([expect.stringMatching(/Seen.*<img .*src="\/pictures\//s)]);
    expect(page).not.toContain("Sensitive pictures");
    const { text: own } = await bob.get(`/tweets/${(await bob.see("/@eve"))[0]?.id}`).expect(200);
    expect(own).not.toMatch(/og:image" content="[^"]*pictures/);
    expect((await bob.get("/@eve.rss").expect(200)).text).not.toContain("<enclosure");
  });

  it("a refused form keeps the warning open, with the problem beside it", async () => {
    const long = "雀".repeat(101);
    for (const [reader, words] of [
      [ann, "A content warning can have at most 100 characters."],
      [await japanese("ann"), "閲覧注意の警告文は100文字までです。"],
    ] as const) {
      const { text: page } = await reader
        .post("/tweets", { text: "kept", warning: long })
        .expect(422);
      expect(alertsOn(page)).toEqual([words]);
      expect(page).toMatch(new RegExp(`<details open>.*id="warning"[^>]*value="${long}"`, "s"));
      expect(typedFields(page, "/tweets")).toMatchObject({ text: "kept" });
    }
    const { text: fresh } = await ann.get("/").expect(200);
    expect(fresh).toMatch(/<details><summary title="Content warning">/);
  });

  const japanese = async (name: string) => {
    const reader = world.visitor("ja");
    await reader.logIn(name);
    return reader;
  };

  it("an edit adds and removes the warning, and the history has every version", async () => {
    await ann.tweet("Written openly");
    await world.delivered();
    const path = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    const edit = async (typed: Record<string, string>) => {
      const { text: page } = await ann.get(`${path}/edit`).expect(200);
      const fields = typedFields(page, `${path}/edit`);
      await ann.post(`${path}/edit`, { ...fields, ...typed }).expect(303);
    };
    await edit({ warning });
    const { text: form } = await ann.get(`${path}/edit`).expect(200);
    expect(form).toMatch(/<details open>.*id="warning"[^>]*value="How it &lt;ends&gt;"/s);
    expect(folded((await bob.get(path)).text)).toEqual([expect.stringContaining("Written openly")]);
    await edit({ warning: "" });
    const { text: page } = await bob.get(path).expect(200);
    expect([folded(page), page.includes("Written openly")]).toEqual([[], true]);
    const { text: history } = await bob.get(`${path}/history`).expect(200);
    expect(history.split("Written openly").length).toBe(4);
    expect(folded(history)).toHaveLength(1);
  });
});
