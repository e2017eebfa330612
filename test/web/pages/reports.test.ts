import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../../src/redis/keys.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

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
