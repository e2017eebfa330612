import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../../../src/redis/keys.ts";
import { userId } from "../../../../src/domain/ids.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

/** What a reporter reads about each report, without the times. */
const linesOf = async (visitor?: Visitor, language = "en") => {
  const page = await visitor?.get("/settings/reports").set("Accept-Language", language);
  expect(page?.status).toBe(200);
  return [...(page?.text ?? "").matchAll(/<li>\s*<div class="session-about">.*?<\/li>/gs)].map(
    ([line]) => asText(line.replace(/<time.*?<\/time>/s, " THEN ")).trim(),
  );
};

describe("the form for a report", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("person");
    const author = await world.newcomer("author");
    await author.tweet("by author");
    await person.tweet("mine");
  });
  afterAll(() => world.close());

  it("report links are on others' tweets and profiles only", async () => {
    for (const visitor of [person, world.visitor()]) {
      expect((await visitor.get("/tweets/1")).text).toContain('href="/tweets/1/report"');
      expect((await visitor.get("/@author")).text).toContain('href="/@author/report"');
    }
    expect((await person.get("/tweets/2")).text).not.toContain("/report");
    expect((await person.get("/@person")).text).not.toContain("/report");
    expect((await person.get("/explore")).text).toContain(`href="/tweets/1?menu#menu"`);
  });

  it("the report form asks visitors to log in, and leads back", async () => {
    for (const path of ["/tweets/1/report", "/@author/report", "/reported"]) {
      const { headers } = await world.visitor().get(path).expect(303);
      expect(headers["location"]).toBe(`/login?next=${encodeURIComponent(path)}`);
    }
    for (const path of ["/tweets/1/report", "/@author/report"])
      await world
        .visitor()
        .post(path, { reason: "spam" })
        .expect(303)
        .expect("Location", /^\/login/);
    expect(await world.ctx.redis.exists(keys.openReports)).toBe(0);
  });

  it("the report form shows its subject, and comes back as typed if it is refused", async () => {
    expect(asText((await person.get("/tweets/1/report").expect(200)).text)).toContain("by author");
    expect(asText((await person.get("/@author/report").expect(200)).text)).toContain("@author");
    for (const path of ["/tweets/1/report", "/@author/report"]) {
      const comment = "雀".repeat(501);
      const refused = await person.post(path, { reason: "illegal", comment }).expect(422);
      expect(alertsOn(refused.text)).toEqual(["Please use at most 500 characters."]);
      expect(refused.text).toContain(comment);
      expect(refused.text).toMatch(/value="illegal" checked/);
      expect(refused.text).toContain(`action="${path}"`);
      const unsaid = await person.post(path, { comment: "why" }).expect(422);
      expect(alertsOn(unsaid.text)).toEqual(["Please choose what is wrong."]);
    }
    for (const path of ["/tweets/2/report", "/@person/report"])
      expect(alertsOn((await person.post(path, { reason: "spam" }).expect(422)).text)).toEqual([
        "You cannot report yourself.",
      ]);
    for (const path of ["/tweets/99/report", "/@nobody/report"])
      await person.post(path, { reason: "spam" }).expect(404);
    expect(await world.ctx.redis.exists(keys.openReports)).toBe(0);
  });

  it("a sent report leads to a page of thanks", async () => {
    for (const path of ["/tweets/1/report", "/@author/report"]) {
      const { headers } = await person.post(path, { reason: "spam", comment: "see" }).expect(303);
      expect((await person.get(headers["location"] ?? "").expect(200)).text).toContain("Thank you");
    }
    expect(await world.ctx.redis.zcard(keys.openReports)).toBe(2);
  });
});

describe("what became of a report", () => {
  let world: World;
  let [boss, reporter, other, author]: Visitor[] = [];
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    [boss, reporter, other, author] = [
      await world.newcomer("boss"),
      await world.newcomer("reporter"),
      await world.newcomer("other"),
      await world.newcomer("author"),
    ];
    for (const text of ["first words", "second words"]) await author.tweet(text);
  });
  afterAll(() => world.close());

  const decide = async (subject: string, verb: string) => {
    const { text = "" } = (await boss?.get("/admin/reports").expect(200)) ?? {};
    const { nonce = "" } = hiddenFields(text, "/admin/reports");
    await boss
      ?.post("/admin/reports", { subject, verb, nonce: `${nonce}${verb}`, note: "a secret note" })
      .expect(303);
  };

  it("a reporter reads what became of each report, and nothing of others", async () => {
    expect(await linesOf(reporter)).toEqual([]);
    for (const path of ["/tweets/1", "/tweets/2", "/@author"])
      await reporter?.post(`${path}/report`, { reason: "abuse", comment: "mine" }).expect(303);
    await other?.post("/tweets/1/report", { reason: "spam", comment: "theirs" }).expect(303);
    expect((await reporter?.get("/reported"))?.text).toContain('href="/settings/reports"');
    expect(await linesOf(reporter)).toEqual([
      "@author Waiting for a decision since THEN .",
      "A tweet by @author Waiting for a decision since THEN .",
      "A tweet by @author Waiting for a decision since THEN .",
    ]);

    world.pass(1000);
    await decide("t1", "dismiss");
    world.pass(1000);
    await decide("t2", "remove");
    world.pass(1000);
    await decide("p4", "suspend");
    const decided = [
      "@author Decided on THEN : action was taken.",
      "A tweet by @author Decided on THEN : action was taken.",
      "A tweet by @author Decided on THEN : no action was needed.",
    ];
    expect(await linesOf(reporter)).toEqual(decided);
    expect(await linesOf(other)).toEqual(decided.slice(2));
    const { text = "" } = (await reporter?.get("/settings/reports")) ?? {};
    expect(text).not.toMatch(/secret note|theirs|@other|suspend|(first|second) words/);
    expect(await linesOf(reporter, "ja")).toEqual([
      "@author THEN に対応しました。",
      "@authorのツイート THEN に対応しました。",
      "@authorのツイート THEN に、対応は不要と判断しました。",
    ]);
  });

  it("a decision counts although a reporter is suspended or deleted", async () => {
    const gone = await world.newcomer("gone");
    for (const visitor of [other, gone])
      await visitor?.post("/@reporter/report", { reason: "spam" });
    await boss?.post("/admin/suspended", { name: "other", verb: "suspend" }).expect(303);
    await gone.post("/settings/account/delete", { name: "gone", password }).expect(303);
    await decide("p2", "dismiss");
    expect(await world.ctx.redis.zcard(keys.openReports)).toBe(0);
    expect(await world.ctx.redis.zscore(keys.outcomes(userId("3")), "p2 none")).not.toBeNull();
  });

  it("the newest fifty decisions are kept for ninety days", async () => {
    const { redis } = world.ctx;
    for (let nth = 1; nth <= 60; nth += 1)
      await redis.zadd(keys.outcomes(userId("2")), nth, `t${nth} none`);
    await other?.post("/@boss/report", { reason: "spam" });
    await reporter?.post("/@boss/report", { reason: "spam" }).expect(303);
    await decide("p1", "dismiss");
    expect(await redis.zcard(keys.outcomes(userId("2")))).toBe(50);
    expect(await redis.ttl(keys.outcomes(userId("2")))).toBeGreaterThan(89 * 86_400);
    expect((await linesOf(reporter))[0]).toBe("@boss Decided on THEN : no action was needed.");
  });
});
