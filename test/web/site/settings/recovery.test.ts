import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useRecoveryCode } from "../../../../src/domain/factors/codes.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const path = "/settings/account/recovery";
const codesOn = (html: string) =>
  [...html.matchAll(/<code>([\da-z-]+)<\/code>/g)].map(([, code = ""]) => code);

describe("recovery codes in the settings", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a line of the first page offers recovery codes without the password, and leads back", async () => {
    const visitor = world.visitor();
    const fields = { name: "newcomer", fullname: "New", password };
    const { headers } = await visitor.post("/signup", fields).expect(303);
    expect(headers["location"]).toBe("/start");
    const welcome = await visitor.get("/start").expect(200);
    expect(welcome.text).toContain("Welcome to Suzume, @newcomer.");
    expect(welcome.text).toContain(`href="${path}?next=%2Fstart"`);
    const offer = await visitor.get(`${path}?next=%2Fstart`).expect(200);
    expect(offer.text).toContain('<a href="/start">Not now</a>');
    expect(offer.text).not.toContain('type="password"');
    const made = await visitor.post(path, { next: "/start" }).expect(200);
    expect(codesOn(made.text)).toHaveLength(10);
    expect(made.text).toMatch(/<a class="button button-primary" href="\/start">/);
    // A second set needs it, also right after.
    await visitor.post(path, { next: "/start" }).expect(422);
  });

  it("the first set of recovery codes is the same if its form is sent twice, in turn or at once", async () => {
    const visitor = await world.newcomer("twice");
    const { text } = await visitor.get(`${path}?next=%2Fstart`).expect(200);
    const form = hiddenFields(text, path);
    const sent = await Promise.all([1, 2].map(() => visitor.post(path, form).expect(200)));
    sent.push(await visitor.post(path, form).expect(200));
    const sets = sent.map((answer) => codesOn(answer.text));
    expect(sets[0]).toHaveLength(10);
    expect(sets).toEqual([sets[0], sets[0], sets[0]]);
    await visitor.post(path, { ...form, nonce: "another" }).expect(422);
    // A code that was used is never good again.
    const twice = await getUserByName(world.ctx, "twice");
    expect(await useRecoveryCode(world.ctx, twice, sets[0]?.[1] ?? "")).toBe(true);
    await visitor.post(path, form).expect(422);
    await visitor.post(path, { ...form, password }).expect(200);
    expect(await useRecoveryCode(world.ctx, twice, sets[0]?.[1] ?? "")).toBe(false);
    world.pass(16 * 60_000);
    await visitor.post(path, form).expect(422);
  });

  it("the page of recovery codes leads to no other site", async () => {
    const visitor = await world.newcomer("lured");
    const evil = encodeURIComponent("//evil.example/x");
    const { text } = await visitor.get(`${path}?next=${evil}`).expect(200);
    expect(text).not.toContain("evil.example/x</a>");
    expect(text).toContain('<a href="/">Not now</a>');
    const made = await visitor.post(path, { next: "//evil.example/x" }).expect(200);
    expect(made.text).not.toContain("evil.example");
  });

  describe("of an account that is older than a quarter of an hour", () => {
    let owner: Visitor;
    beforeAll(async () => {
      owner = await world.newcomer("owner");
      world.pass(16 * 60_000);
    });

    it("new recovery codes need the password", async () => {
      for (const typed of ["", "wrong horse 1"]) {
        const { text } = await owner.post(path, { password: typed }).expect(422);
        expect(alertsOn(text)).toEqual(["That is not your current password."]);
        expect(codesOn(text)).toEqual([]);
      }
    });

    it("recovery codes are shown once, on an uncached page, with a file to download", async () => {
      const { text, headers } = await owner.post(path, { password }).expect(200);
      const codes = codesOn(text);
      expect(codes).toHaveLength(10);
      expect(headers["cache-control"]).toBe("no-store");
      const [, href = "", name = ""] = /href="(data:[^"]*)" download="([^"]*)"/.exec(text) ?? [];
      expect(name).toBe("suzume-owner.txt");
      const file = decodeURIComponent(href.slice(href.indexOf(",") + 1));
      expect(file.split("\n").slice(2, 12)).toEqual(codes);
      expect(file).toMatch(/^Recovery codes of @owner on 127\.0\.0\.1:\d+\n/);
      const again = await owner.get(path).expect(200);
      expect(codesOn(again.text)).toEqual([]);
      expect(again.text).toContain("You have 10 unused codes.");
    });

    it("recovery codes are in no answer to others", async () => {
      await world.visitor().get(path).expect(303);
      await world.visitor().post(path, { password }).expect(303);
      await owner.post(path, { password }).set("Sec-Fetch-Site", "cross-site").expect(403);
    });
  });
});
