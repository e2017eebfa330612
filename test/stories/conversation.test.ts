import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields, olderOn, peopleOn, tweetsOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
const texts = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map((tweet) => tweet.text);

const idOf = async (visitor: Visitor, path: string, text: string) => {
  const found = (await visitor.see(path)).find((tweet) => tweet.text.includes(text));
  expect(found?.text).toContain(text);
  return found?.id ?? "";
};

describe("a conversation", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let cat: Visitor;
  let dan: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    cat = await world.newcomer("cat");
    dan = await world.newcomer("dan");
    for (const name of ["ann", "bob"]) await cat.follow(name);
    await dan.follow("bob");
  });
  afterAll(() => closeChecked(world));

  /** By the form on the tweet's page, as a browser without scripts does it. */
  const reply = async (visitor: Visitor, id: string, text: string) => {
    const { text: shown } = await visitor.get(`/tweets/${id}`).expect(200);
    const hidden = hiddenFields(shown, "/tweets");
    expect(hidden["reply_to"]).toBe(id);
    const answer = await visitor.post("/tweets", { ...hidden, text }).expect(303);
    expect(answer.headers["location"]).toMatch(new RegExp(`^/tweets/${id}#tweet-\\d+$`));
    await world.delivered();
    return /#tweet-(\d+)/.exec(answer.headers["location"] ?? "")?.[1] ?? "";
  };

  it("a conversation is a tweet, its replies, and replies to these", async () => {
    await ann.tweet("Shall we meet at the pond?");
    const tweet = await idOf(ann, "/", "pond");
    const answer = await reply(bob, tweet, "Gladly, at noon");
    const second = await reply(ann, answer, "Noon it is");

    expect(await texts(dan, `/tweets/${answer}`)).toEqual([
      "Shall we meet at the pond?",
      "Gladly, at noon",
      "Noon it is",
    ]);
    const shown = await page(world.visitor(), `/tweets/${second}`);
    expect(tweetsOn(shown).map((one) => one.author)).toEqual(["ann", "bob", "ann"]);
    expect(shown).toContain("Replying to");
    expect(await page(dan, "/@ann/replies")).toContain("Noon it is");
    expect(await texts(dan, "/@ann")).not.toContain("Noon it is");
    expect(await texts(dan, "/explore")).toEqual(["Shall we meet at the pond?"]);
  });

  it("a conversation reaches the homes of those who follow both users", async () => {
    expect(await texts(cat, "/")).toContain("Gladly, at noon");
    expect(await texts(cat, "/")).toContain("Noon it is");
    expect(await texts(dan, "/")).not.toContain("Gladly, at noon");
    await dan.follow("ann");
    expect(await texts(dan, "/")).toContain("Gladly, at noon");
    expect(await texts(dan, "/")).toContain("Noon it is");
    await dan.unfollow("ann");
    expect(await texts(dan, "/")).toEqual([]);
  });

  it("a conversation counts its reactions, and lists their users", async () => {
    const tweet = await idOf(ann, "/@ann", "pond");
    for (const visitor of [bob, cat]) await visitor.post(`/tweets/${tweet}/like`).expect(303);
    await cat.post(`/tweets/${tweet}/like`).expect(303);
    await cat.post(`/tweets/${tweet}/retweet`).expect(303);
    const shown = await page(dan, `/tweets/${tweet}`);
    expect(shown).toMatch(/value="2">2<\/data> <span>Likes/);
    expect(shown).toMatch(/value="1">1<\/data> <span>Retweet</);
    expect(peopleOn(await page(dan, `/tweets/${tweet}/likes`))).toEqual(["cat", "bob"]);
    expect(peopleOn(await page(dan, `/tweets/${tweet}/retweets`))).toEqual(["cat"]);
    expect(await texts(dan, "/@bob/likes")).toEqual(["Shall we meet at the pond?"]);

    await cat.post(`/tweets/${tweet}/unlike`).expect(303);
    expect(peopleOn(await page(dan, `/tweets/${tweet}/likes`))).toEqual(["bob"]);
    expect(await texts(dan, "/@cat/likes")).toEqual([]);
    await cat.post(`/tweets/${tweet}/unretweet`).expect(303);
    expect(peopleOn(await page(dan, `/tweets/${tweet}/retweets`))).toEqual([]);
  });

  it("a reaction leads back to the page of its button", async () => {
    const tweet = await idOf(ann, "/@ann", "pond");
    const like = (referer: string) =>
      bob.post(`/tweets/${tweet}/like`).set("Host", "here.test").set("Referer", referer);
    const back = async (referer: string) => (await like(referer)).headers["location"];
    expect(await back("http://here.test/@ann?before=5")).toBe(`/@ann?before=5#tweet-${tweet}`);
    expect(await back("http://elsewhere.test/x")).toBe(`/tweets/${tweet}#tweet-${tweet}`);
    // In a list it may be there because of a retweet.
    const at = await bob.post(`/tweets/${tweet}/like?at=99`).expect(303);
    expect(at.headers["location"]).toBe(`/tweets/${tweet}#tweet-99`);
  });

  it("a conversation spreads by retweets, shown once among near ones, until they are taken back", async () => {
    await ann.tweet("A heron!");
    const heron = await idOf(ann, "/", "heron");
    await bob.post(`/tweets/${heron}/retweet`).expect(303);
    await bob.post(`/tweets/${heron}/retweet`).expect(303);
    await world.delivered();
    const home = await page(dan, "/");
    expect(home.replaceAll(/<[^>]*>/g, "")).toContain("Test bob retweeted");
    expect(tweetsOn(home).map((one) => one.text)).toEqual(["A heron!"]);
    // Cat follows Ann as well and has seen it.
    expect((await texts(cat, "/")).filter((text) => text === "A heron!")).toHaveLength(1);
    expect(await page(cat, "/")).not.toContain("tweet-context");
    expect(await texts(dan, "/@bob")).toContain("A heron!");

    await bob.post(`/tweets/${heron}/unretweet`).expect(303);
    expect(await texts(dan, "/")).toEqual([]);
    expect(await texts(dan, "/@bob")).not.toContain("A heron!");

    await bob.post(`/tweets/${heron}/retweet`).expect(303);
    await world.delivered();
    expect(await texts(dan, "/")).toEqual(["A heron!"]);
    await ann.post(`/tweets/${heron}/delete`).expect(303);
    for (const path of ["/", "/@bob", "/@bob/likes"])
      expect(await texts(dan, path)).not.toContain("A heron!");
  });

  it("a linked tweet is shown as a card, as long as it exists", async () => {
    await ann.tweet("The pond is frozen");
    const pond = await idOf(ann, "/", "frozen");
    const form = hiddenFields(await page(bob, "/"), "/tweets");
    const text = `Look: http://here.test/tweets/${pond}`;
    await bob
      .post("/tweets", { ...form, text })
      .set("Host", "here.test")
      .expect(303);
    const quoting = await page(dan, "/@bob");
    expect(quoting).toMatch(/<blockquote class="quote"[^]*The pond is frozen/);
    await ann.post(`/tweets/${pond}/delete`).expect(303);
    expect(await page(dan, "/@bob")).not.toContain("The pond is frozen");
  });

  it("existing names and tags in any script become links", async () => {
    await ann.tweet("@bob and @nobody_here like #日本語 and #Birds");
    const shown = await page(dan, "/@ann");
    expect(shown).toContain('<a href="/@bob">@bob</a>');
    expect(shown).not.toContain('href="/@nobody_here"');
    expect(shown).toContain(`<a href="/tags/${encodeURIComponent("日本語")}">#日本語</a>`);
    expect(shown).toContain('<a href="/tags/birds">#Birds</a>');
  });

  it("a conversation keeps the place of a deleted tweet, and loses nothing typed", async () => {
    await ann.tweet("First");
    const first = await idOf(ann, "/", "First");
    const second = await reply(bob, first, "Second");
    await reply(ann, second, "Third");
    const { text: form } = await cat.get(`/tweets/${first}`);
    await ann.post(`/tweets/${first}/delete`).expect(303);
    const shown = await page(dan, `/tweets/${second}`);
    expect(shown).toContain("This tweet is not available.");
    expect(tweetsOn(shown).map((one) => one.text)).toEqual(["Second", "Third"]);

    const late = { ...hiddenFields(form, "/tweets"), text: "Too late" };
    const refused = await cat.post("/tweets", late).expect(422);
    expect(refused.text).toContain("Too late</textarea>");
    expect(refused.text).toContain("The tweet you are replying to no longer exists");
    const long = "x".repeat(300);
    const refusedHere = await cat.post("/tweets", { reply_to: second, text: long }).expect(422);
    expect(refusedHere.text).toContain(`${long}</textarea>`);
    expect(tweetsOn(refusedHere.text).map((one) => one.text)).toContain("Second");
  });

  it("an exchange 14 tweets deep is read on two pages", async () => {
    await ann.tweet("Tweet 1");
    const top = await idOf(ann, "/", "Tweet 1");
    let last = top;
    for (let nth = 2; nth <= 14; nth += 1)
      last = await reply(nth % 2 === 0 ? bob : ann, last, `Tweet ${nth}`);
    const first = await page(dan, `/tweets/${top}`);
    const link = /class="answer answers-more"><a href="([^"]*)"/.exec(first)?.[1] ?? "";
    const second = await page(dan, link);
    const seen = [...tweetsOn(first), ...tweetsOn(second)].map(({ text }) => text);
    expect([...new Set(seen)]).toEqual(Array.from({ length: 14 }, (_, nth) => `Tweet ${nth + 1}`));
    expect(second).not.toContain("answers-more");
    // Opened from a list, the page is scrolled to the tweet, below what it answers.
    expect(await page(dan, "/@bob/replies")).toContain(`href="/tweets/${last}#tweet-${last}"`);
  });

  it("a conversation is paged to its end", async () => {
    await ann.tweet("Say hello");
    const hello = await idOf(ann, "/", "Say hello");
    for (let nth = 0; nth < 60; nth += 1)
      await bob.post("/tweets", { reply_to: hello, text: `hello ${nth}` }).expect(303);
    const path = `/tweets/${hello}`;
    const first = await page(dan, path);
    const all = (await dan.readAll(path)).map(({ text }) => text);
    const hellos = Array.from({ length: 60 }, (_, nth) => `hello ${nth}`);
    expect(all.filter((text) => text !== "Say hello")).toEqual(hellos);
    expect(await page(dan, olderOn(first) ?? "")).toContain(`href="${path}">First replies`);
    expect(first).toMatch(/<a class="reply"[^>]* aria-label="Reply 60">60</);
    // A reply that does not fit on the first page is shown on its own.
    const answer = await bob.post("/tweets", { reply_to: hello, text: "late" }).expect(303);
    expect(answer.headers["location"]).toMatch(/^\/tweets\/(\d+)#tweet-\1$/);
  });
});
