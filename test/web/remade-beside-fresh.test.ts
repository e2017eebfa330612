import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endDuePolls } from "../../src/domain/actions/vote.ts";
import { mutedWordId } from "../../src/domain/graph/muted-words.ts";
import { writeSite } from "../../src/domain/site/settings.ts";
import { getAnyUserByName } from "../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { BesideFresh } from "../support/world/beside-fresh.ts";
import { finishJobs } from "../support/world/doctor.ts";

/** Milliseconds; some hundred pages are made in full. */
const timeout = 240_000;
const minute = 60_000;
const day = 24 * 60 * minute;
const quota = 1_000_000;
const privacy = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
const poll = { choice_1: "owl", choice_2: "crow", poll_seconds: "3600" };

const press = (who: Visitor | undefined, path: string, fields: Record<string, string> = {}) =>
  who?.post(path, fields).expect(303);

describe("pages that are made anew in part", () => {
  let sites: BesideFresh;
  /** Ann moderates and Cat reads; what Ben and Eve write is changed; Dan writes on. */
  let [ann, ben, cat, dan, eve]: Visitor[] = [];
  /** By Ben: one with answers, one with a poll, and one that is for fewer later. */
  let [tweet, asked, narrowed] = ["", "", ""];
  let list = "";
  let count = 0;
  beforeAll(async () => {
    const settings = { admins: ["ann"], accountPictureBytes: quota };
    sites = await BesideFresh.begin(["ann", "cat"], settings);
    [ann, cat] = sites.readers.map(({ kept }) => kept);
    ben = await sites.world.newcomer("ben");
    dan = await sites.world.newcomer("dan");
    eve = await sites.world.newcomer("eve");
    for (const name of ["ben", "dan", "eve"]) for (const one of [ann, cat]) await one?.follow(name);
    await dan.follow("ben");
    const made = await ann?.post("/lists", { title: "Birds" }).expect(303);
    list = String(made?.headers["location"]).replace("/members", "");
    for (const name of ["ben", "dan", "eve"]) await ann?.post(`${list}/members`, { name });
    await ben?.tweet("A sparrow on the wire #birds");
    await ben?.tweet("An owl or a crow? #birds", poll);
    await ben?.tweet("A finch #birds");
    await eve?.tweet("Gone tomorrow #birds");
    [narrowed = "", asked = "", tweet = ""] = ((await ben?.see("/@ben")) ?? []).map(({ id }) => id);
    for (const one of [ben, eve, cat]) await answer(one);
  });
  afterAll(() => sites.close());

  const user = async (name: string) => await getAnyUserByName(sites.world.ctx, name);

  async function answer(who: Visitor | undefined): Promise<void> {
    const { text: page } = (await who?.get(`/tweets/${tweet}`)) ?? { text: "" };
    const fields = hiddenFields(page, "/tweets");
    if ("reply_to" in fields)
      await press(who, "/tweets", { ...fields, text: `so it is, ${count}` });
  }

  /** Each list has one more tweet. */
  async function news(): Promise<void> {
    count += 1;
    await dan?.tweet(`A crow, number ${count} #birds`);
    await answer(dan);
  }

  const mute = { word: "sparrow", duration: "1", filter: mutedWordId("sparrow") };
  const changes: [what: string, change: () => unknown][] = [
    ["an edit", () => edit(tweet, { text: "A sparrow on a fence #birds" })],
    ["a content warning", () => edit(tweet, { text: "A sparrow #birds", warning: "beaks" })],
    ["fewer who may answer", () => edit(narrowed, { text: "A", replies_from: "mentioned" })],
    ["a narrower audience", () => edit(narrowed, { text: "B", audience: "followers" })],
    ["a like of another", () => press(cat, `/tweets/${tweet}/like`)],
    ["an own like", () => press(ann, `/tweets/${tweet}/like`)],
    ["a bookmark", () => press(ann, `/tweets/${tweet}/bookmark`)],
    ["a retweet", () => press(cat, `/tweets/${tweet}/retweet`)],
    ["hidden retweets", () => press(ann, "/@cat/hide-retweets")],
    ["a vote", () => press(cat, `/tweets/${asked}/vote`, { choice: "1" })],
    ["half a minute", () => sites.world.pass(minute / 2)],
    ["the other half", () => sites.world.pass(minute / 2)],
    ["the end of the poll", async () => await endPoll()],
    ["a muted word", () => press(cat, "/settings/muted", mute)],
    ["its end, after a day", () => sites.world.pass(day + minute)],
    ["a warned word", () => press(ann, "/settings/muted", { ...mute, action: "warn" })],
    ["no such word", () => press(ann, "/settings/muted/remove", mute)],
    ["a mute for a day", () => press(cat, "/@ben/mute", { duration: "1" })],
    ["its end", () => sites.world.pass(day + minute)],
    ["a block", () => press(cat, "/@ben/block")],
    ["its end", () => press(cat, "/@ben/unblock")],
    ["a block by the author", () => press(ben, "/@cat/block")],
    ["its end", () => press(ben, "/@cat/unblock")],
    ["a new name", () => press(ben, "/settings/profile", { fullname: "Ben Anew", bio: "" })],
    ["a protected account", () => press(ben, "/settings/privacy", { ...privacy, protected: "on" })],
    ["an open account", () => press(ben, "/settings/privacy", privacy)],
    ["a suspension", async () => await suspendUser(sites.world.ctx, await user("ben"))],
    ["its end", async () => await reinstate()],
    ["a report", () => press(cat, "/@ben/report", { reason: "spam", comment: "" })],
    ["a moderator", async () => await setField("cat", "role", "moderator")],
    ["a mention", () => dan?.tweet("A crow for @cat #birds")],
    ["a message", () => dan?.tweet("@ann @cat hush", { audience: "mentioned" })],
    ["what was read", async () => await readHome()],
    ["a followed tag", () => press(cat, "/tags/birds/follow")],
    ["a member less", () => press(ann, `${list}/members/@ben/remove`)],
    ["another title", () => press(ann, `${list}/edit`, { title: "Crows", replies: "list" })],
    [
      "an audience by default",
      () => press(ann, "/settings/privacy", { ...privacy, audience: "followers" }),
    ],
    ["little room for pictures", async () => await fill(0.95)],
    ["room for pictures", async () => await fill(0.5)],
    ["other colours", () => press(cat, "/settings/theme", { theme: "night" })],
    ["another language", () => press(cat, "/language", { language: "ja", next: "/" })],
    ["an announcement", async () => await writeSite(sites.world.ctx, { announcement: "Moving" })],
    ["the name of the site", async () => await writeSite(sites.world.ctx, { name: "Nest" })],
    ["a site for members", async () => await writeSite(sites.world.ctx, { read: "members" })],
    ["a deleted tweet", () => press(ben, `/tweets/${asked}/delete`)],
    ["a deleted account", async () => await leave()],
  ];

  const edit = (id: string, typed: Record<string, string>) =>
    press(ben, `/tweets/${id}/edit`, typed);
  const setField = async (name: string, field: string, value: string) =>
    await sites.world.ctx.redis.hset(keys.user((await user(name)).id), field, value);
  const endPoll = async () => {
    sites.world.pass(60 * minute);
    await endDuePolls(sites.world.ctx);
  };
  const reinstate = async () => {
    await reinstateUser(sites.world.ctx, await user("ben"));
    await ben?.logIn("ben");
  };
  const fill = async (share: number) => {
    const { ctx } = sites.world;
    const bytes = Math.floor(share * quota);
    for (const name of ["ann", "cat"])
      await ctx.redis.hset(keys.storedBytes((await user(name)).id), "pictures", bytes);
  };
  const readHome = async () => {
    const { text: page } = (await ann?.get("/").expect(200)) ?? { text: "" };
    await press(ann, "/home/read", hiddenFields(page, "/home/read"));
  };
  const leave = async () => {
    await press(eve, "/settings/account/delete", { name: "eve", password });
  };

  it("pages that are made anew equal fresh pages after every change", { timeout }, async () => {
    const remadeBefore = await remade();
    for (const [nth, [what, change]] of changes.entries()) {
      const other = ["/bookmarks", "/explore", "/?text=hello"][nth % 3] ?? "";
      const paths = ["/", `/tweets/${tweet}`, list, "/tags/birds", other];
      await sites.ask(paths);
      await news();
      await sites.world.delivered();
      await sites.ask(paths);
      await change();
      await finishJobs(sites.world);
      await sites.compare(paths, `after ${what}`);
    }
    expect((await remade()) - remadeBefore).toBeGreaterThan(changes.length);
  });

  /** Pages of which only a part was made anew. */
  async function remade(): Promise<number> {
    const { text } = await sites.world.visitor().get("/metrics").expect(200);
    return Number(/^suzume_kept_pages_remade_total (\d+)$/m.exec(text)?.[1]);
  }
});
