import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endDuePolls } from "../../src/domain/actions/vote.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields, typedFields } from "../support/inspect/page.ts";
import { closeChecked, finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const hour = 60 * 60 * 1000;
const tree = { choice_1: "birch", choice_2: "rowan & ash", choice_3: "", poll_seconds: "3600" };

/** The forms of polls on a page: their addresses and kinds of input. */
function formsOn(html: string): [action: string, type: string][] {
  const forms = html.matchAll(
    /<form class="poll" method="post" action="([^"]+)">.*?type="(\w+)"/gs,
  );
  return [...forms].map(([, action = "", type = ""]) => [action, type]);
}

/** The percentages on a page. */
function barsOn(html: string): string[] {
  const bars = html.matchAll(/<div class="poll-bar">.*?<span[^>]*>(.*?)<\/span>/gs);
  return [...bars].map(([, percent = ""]) => percent);
}

describe.each([
  [
    "English",
    undefined,
    { ended: "Ended", left: "60 minutes left", own: "your vote", voters: "2 voters" },
  ],
  [
    "Japanese",
    "ja",
    { ended: "終了", left: "残り60 分", own: "あなたの投票", voters: "2人が投票" },
  ],
])("a poll without JavaScript, in %s", (_, language, words) => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let cid: Visitor;
  let path = "";
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann", language);
    bob = await world.newcomer("bob", language);
    cid = await world.newcomer("cid", language);
    await bob.follow("ann");
  });
  afterAll(() => closeChecked(world));

  it("the composer asks, and says what is wrong with everything that was typed", async () => {
    const { text: page } = await ann.get("/").expect(200);
    expect(page).not.toContain('name="choice_1"');
    const begun = { ...hiddenFields(page, "/tweets"), text: "Which tree?", ask_poll: "on" };
    const asked = await ann.post("/tweets", begun).expect(422);
    expect(asked.text).toContain('name="choice_4"');
    expect(typedFields(asked.text, "/tweets")["text"]).toBe("Which tree?");
    const typed = { ...hiddenFields(asked.text, "/tweets"), text: "Which tree?", ...tree };
    const refused = await ann.post("/tweets", { ...typed, choice_2: "Birch" }).expect(422);
    expect(typedFields(refused.text, "/tweets")["text"]).toBe("Which tree?");
    for (const value of ["birch", "Birch"]) expect(refused.text).toContain(`value="${value}"`);
    expect(refused.text).toContain('<option value="3600" selected>');
    await ann.post("/tweets", { ...typed, poll_seconds: "60" }).expect(422);
    await ann.post("/tweets", typed).expect(303);
    await finishJobs(world);
    path = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
  });

  it("readers see the choices, voters and the author the numbers", async () => {
    const home = (await bob.get("/").expect(200)).text;
    expect(home).toContain("rowan &amp; ash");
    expect(home).toContain(words.left);
    expect(formsOn(home)).toEqual([[`${path}/vote`, "radio"]]);
    expect(barsOn(home)).toEqual([]);
    const own = (await ann.get(path).expect(200)).text;
    expect(formsOn(own)).toEqual([]);
    expect(barsOn(own)).toHaveLength(2);
    const stranger = world.visitor(language);
    const open = (await stranger.get(path).expect(200)).text;
    expect(open).toContain("/login?next=");
    expect([...formsOn(open), ...barsOn(open)]).toEqual([]);
  });

  it("a vote counts at once, for voter and author, on pages that were read before", async () => {
    for (const visitor of [bob, cid, ann]) await visitor.get(path).expect(200);
    await bob.get("/").expect(200);
    const { headers } = await bob.post(`${path}/vote`, { choice: "1" }).expect(303);
    expect(headers["location"]).toBe(`${path}#tweet-${path.split("/")[2]}`);
    const home = (await bob.get("/").expect(200)).text;
    expect(barsOn(home).map((percent) => percent.replaceAll(/\s/g, ""))).toEqual(["0%", "100%"]);
    expect(home).toContain(words.own);
    expect(formsOn(home)).toEqual([]);
    await cid.post(`${path}/vote`, { choice: "0" }).expect(303);
    const own = (await ann.get(path).expect(200)).text;
    expect(barsOn(own).map((percent) => percent.replaceAll(/\s/g, ""))).toEqual(["50%", "50%"]);
    expect(own).toContain(words.voters);
  });

  it("another vote, no choice, an own poll and a hidden one are refused with words", async () => {
    await bob.post(`${path}/vote`, { choice: "1" }).expect(303);
    const again = await bob.post(`${path}/vote`, { choice: "0" }).expect(422);
    expect(again.text).toContain('class="error-page"');
    await ann.post(`${path}/vote`, { choice: "0" }).expect(422);
    await ann.post(`${path}/vote`).expect(422);
    await cid.post(`${path}/vote`, { choice: "" }).expect(422);
    await world.visitor().post(`${path}/vote`, { choice: "0" }).expect(303);
    await ann.tweet("for followers", { ...tree, audience: "followers" });
    const hidden = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    await cid.post(`${hidden}/vote`, { choice: "0" }).expect(404);
    await bob.post(`${hidden}/vote`, { choice: "0" }).expect(303);
  });

  it("several may be chosen where the author allows it", async () => {
    await ann.tweet("Which trees?", { ...tree, poll_several: "on" });
    const several = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    expect(formsOn((await cid.get(several).expect(200)).text)).toEqual([
      [`${several}/vote`, "checkbox"],
    ]);
    await cid.agent.post(`${several}/vote`).type("form").send("choice=0&choice=1").expect(303);
    const bars = barsOn((await cid.get(several).expect(200)).text);
    expect(bars.map((percent) => percent.replaceAll(/\s/g, ""))).toEqual(["100%", "100%"]);
  });

  it("at the end everyone sees the numbers, and author and voters are notified", async () => {
    world.pass(hour);
    await endDuePolls(world.ctx);
    await finishJobs(world);
    const stranger = world.visitor(language);
    const over = (await stranger.get(path).expect(200)).text;
    expect(over).toContain(words.ended);
    expect(barsOn(over)).toHaveLength(2);
    await cid.post(`${path}/vote`, { choice: "1" }).expect(422);
    for (const visitor of [ann, bob]) {
      const { text } = await visitor.get("/notifications").expect(200);
      expect(text).toContain('class="notification poll');
      expect(barsOn(text).length).toBeGreaterThan(0);
    }
  });

  it("an edit says that the poll stays, and a draft keeps it", async () => {
    const edit = (await ann.get(`${path}/edit`).expect(200)).text;
    expect(edit).not.toContain('name="choice_1"');
    const { text: page } = await ann.get("/").expect(200);
    const typed = { ...hiddenFields(page, "/tweets"), text: "later", ...tree };
    const { headers } = await ann.post("/drafts", typed).expect(303);
    const draft = String(headers["location"]).replace("?saved", "");
    expect((await ann.get(draft).expect(200)).text).toContain('value="rowan &amp; ash"');
    await ann.post(draft, { text: "now", ...tree, do: "send" }).expect(303);
    const sent = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    expect(formsOn((await cid.get(sent).expect(200)).text)).toHaveLength(1);
  });

  it("feeds list the choices, and search finds them", async () => {
    const feed = (await world.visitor().get("/@ann.rss").expect(200)).text;
    expect(feed).toContain("<li>birch</li>");
    await finishJobs(world);
    expect((await cid.see("/search?q=rowan")).length).toBeGreaterThan(0);
  });
});
