import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverAll } from "../../../support/actors/people.ts";
import { block, unblock } from "../../../../src/domain/actions/block.ts";
import { indexPerson } from "../../../../src/domain/search/index-person.ts";
import { pageSize } from "../../../../src/domain/page.ts";
import { postTweet } from "../../../../src/domain/actions/post-tweet.ts";
import { createUser } from "../../../../src/domain/users/sign-up.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { olderOn, peopleOn } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("the search page", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("searcher");
    const { id } = await getUserByName(world.ctx, "searcher");
    for (let nth = 0; nth < pageSize + 5; nth += 1) {
      const tweet = await postTweet(world.ctx, id, {
        text: `雀 bird${nth} bread & "butter" #朝食`,
      });
      await deliverAll(world.ctx, tweet);
    }
  });
  afterAll(() => world.close());

  it("the search page has a form, tabs and hints, and a link in the navigation", async () => {
    for (const visitor of [person, world.visitor()]) {
      const { text } = await visitor.get("/search").expect(200);
      expect(text).toMatch(/<form[^>]* role="search"[^>]* action="\/search"/);
      expect(text).toContain("from:alice");
      expect(text).toMatch(/<a class="main-nav-link" href="\/search" aria-current="page"/);
      expect(text).toContain('href="/search?q=&amp;people=1"');
      expect(text).not.toContain("Nothing found");
    }
    expect((await person.get("/search?people").expect(200)).text).toContain("in their name");
  });

  it("the search page keeps the query as typed", async () => {
    const typed = ` <b>"Bread"  & 雀の `;
    const { text } = await person.get(`/search?q=${encodeURIComponent(typed)}`).expect(200);
    expect(text).toContain('value=" &lt;b&gt;&quot;Bread&quot;  &amp; 雀の "');
    expect(text).not.toContain("<b>");
  });

  it("the search page finds tweets without an account, page by page to the end", async () => {
    for (const q of ["bread", "BUTTERS bread", "#朝食", "from:Searcher", "朝", '"bread butter"']) {
      const path = `/search?q=${encodeURIComponent(q)}`;
      expect([q, await world.visitor().readAll(path)]).toEqual([
        q,
        expect.objectContaining({ length: pageSize + 5 }),
      ]);
      expect(await world.visitor().see(path)).toHaveLength(pageSize);
    }
    expect(await person.see("/search?q=bird7")).toHaveLength(1);
  });

  it("the search page filters for signed-in users, and keeps the filter on every page", async () => {
    const { text } = await person.get("/search?q=bread&in=mine").expect(200);
    expect(text).toContain('<a href="/search?q=bread&amp;in=mine" aria-current="true"');
    expect(text).toContain('<input type="hidden" name="in" value="mine">');
    expect(olderOn(text)).toContain("in=mine&before=");
    expect(await person.readAll("/search?q=bread&in=mine")).toHaveLength(pageSize + 5);
    expect(await person.see("/search?q=bread&in=following")).toEqual([]);
    const out = await world.visitor().get("/search?q=bread&in=mine").expect(200);
    expect(out.text).not.toContain("People I follow");
    expect(await world.visitor().see("/search?q=bread&in=mine")).toHaveLength(pageSize);
  });

  it.each([
    ["鳩", "Nothing found."],
    ["!?", "Please type a word"],
    ["from:nobody", "Nothing found."],
    ["unheard", "Nothing found."],
  ])("the search page says about %s: %s", async (q, message) => {
    const { text } = await person.get(`/search?q=${encodeURIComponent(q)}`).expect(200);
    expect(text).toContain(message);
  });

  it("the search page finds users by prefix, page by page to the end", async () => {
    for (let nth = 0; nth < pageSize + 2; nth += 1)
      await indexPerson(
        world.ctx,
        await createUser(world.ctx, {
          name: `flock${nth}`,
          fullname: `鳥 Swallow ${nth}`,
          pass: "none",
        }),
      );
    for (const q of ["flock", "swal", "鳥", "@flock"]) {
      const found: string[] = [];
      let path: string | undefined = `/search?people&q=${encodeURIComponent(q)}`;
      while (path !== undefined) {
        const { text } = await person.get(path).expect(200);
        found.push(...peopleOn(text));
        path = olderOn(text);
      }
      expect(found).toHaveLength(pageSize + 2);
      expect(new Set(found).size).toBe(pageSize + 2);
    }
    const { text } = await person.get("/search?people=1&q=unheard").expect(200);
    expect(text).toContain("No people found.");
    expect(text).toContain('<input type="hidden" name="people" value="1">');
  });
});

describe("the search page with people", () => {
  let world: World;
  let reader: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    reader = await world.newcomer("reader");
    for (const [name, fullname] of [
      ["tanaka_kenta", "田中健太"],
      ["kenta2", "Kenta <b>"],
      ["kenta3", "Kenta Three"],
      ["kenta4", "Kenta Four"],
    ] as const)
      await indexPerson(world.ctx, await createUser(world.ctx, { name, fullname, pass: "none" }));
    const { id } = await getUserByName(world.ctx, "reader");
    await deliverAll(world.ctx, await postTweet(world.ctx, id, { text: "I met Kenta #kenta" }));
  });
  afterAll(() => world.close());

  const search = async (q: string, more = "") => {
    const { text } = await reader.get(`/search?q=${encodeURIComponent(q)}${more}`).expect(200);
    const [before = "", after = ""] = text.split('<section aria-labelledby="top-people">');
    const people = peopleOn(after.split("</section>")[0] ?? "");
    return { people, hasMore: after.includes('&amp;people=1">All people'), text, before };
  };

  it("people with the searched name stand above the tweets, three at most", async () => {
    const { people, hasMore, text } = await search("kenta");
    expect(people).toEqual(["tanaka_kenta", "kenta2", "kenta3"]);
    expect(hasMore).toBe(true);
    expect(text.indexOf("top-people")).toBeLessThan(text.indexOf("I met Kenta"));
    expect(await search("健太")).toMatchObject({ people: ["tanaka_kenta"], hasMore: false });
    expect((await search("健太")).text).toContain("No tweets found.");
  });

  it("people do not stand above other pages, or tweets of a tag, an author or a phrase", async () => {
    for (const [q, more] of [
      ["kenta", "&in=mine"],
      ["kenta", "&before=9000000000000000"],
      ["#kenta", ""],
      ["kenta from:reader", ""],
      ['"kenta"', ""],
    ])
      expect([q, more, (await search(q ?? "", more)).people]).toEqual([q, more, []]);
  });

  it("people who have blocked the viewer, or are suspended, do not stand above the tweets", async () => {
    const { id } = await getUserByName(world.ctx, "reader");
    const other = await getUserByName(world.ctx, "kenta3");
    await block(world.ctx, { blocker: other.id, blocked: id });
    expect((await search("kenta")).people).toEqual(["tanaka_kenta", "kenta2", "kenta4"]);
    await unblock(world.ctx, { blocker: other.id, blocked: id });
  });
});

describe("the page of a tag", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a tag page lists its tweets to the end in any case, without an account", async () => {
    await world.newcomer("tagger");
    const { id } = await getUserByName(world.ctx, "tagger");
    for (let nth = 0; nth < pageSize + 3; nth += 1)
      await deliverAll(
        world.ctx,
        await postTweet(world.ctx, id, { text: `${nth} #Birds #日本語` }),
      );
    await deliverAll(world.ctx, await postTweet(world.ctx, id, { text: "birds #birdsong 日本語" }));
    for (const path of ["/tags/birds", "/tags/BIRDS", `/tags/${encodeURIComponent("日本語")}`]) {
      expect(await world.visitor().readAll(path)).toHaveLength(pageSize + 3);
      expect(await world.visitor().see(path)).toHaveLength(pageSize);
    }
    const { text } = await world.visitor().get("/explore").expect(200);
    expect(text).toContain("Trending");
    expect(text).toContain(`href="/tags/${encodeURIComponent("日本語")}"`);
    expect(text).toContain("1 person");
  });

  it("a tag page is empty for an unused tag, and missing for an impossible one", async () => {
    const { text } = await world.visitor().get("/tags/unheard").expect(200);
    expect(text).toContain("There are no tweets with this hashtag yet.");
    for (const path of [
      "/tags/1",
      "/tags/a%20b",
      "/tags/a-b",
      `/tags/${"a".repeat(51)}`,
      "/tags/%F0%9F%90%A6",
    ])
      await world.visitor().get(path).expect(404);
  });
});
