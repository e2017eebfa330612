import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertsOn } from "../../../support/inspect/page.ts";
import { BrandingScene } from "./branding-scene.ts";

type Texts = Record<"description" | "short_description", string>;

describe("the texts of a site", () => {
  let scene: BrandingScene;
  beforeAll(async () => {
    scene = await BrandingScene.begin();
  });
  beforeEach(() => scene.reset());
  afterAll(() => scene.world.close());

  it("texts within their limits are kept, and shown in the form again", async () => {
    await scene
      .save({
        name: "  Bean\u202E  Club ",
        tagline: "Beans\nfor all",
        contact: "mailto:beans@example.org",
        accent: "1D5FA8",
      })
      .expect(303);
    const { text } = await scene.admin.get("/admin/site?saved").expect(200);
    for (const value of ["Bean Club", "Beans for all", "beans@example.org", "#1d5fa8"])
      expect(text).toContain(`value="${value}"`);
    expect(text).toContain("The settings are saved.");
  });

  it.each([
    ["name", "", "Please give the site a name."],
    ["name", "\u200B ", "Please give the site a name."],
    ["name", "b".repeat(31), "at most 30"],
    ["tagline", "b".repeat(121), "at most 120"],
    ["description", "b".repeat(5001), "at most 5,000"],
    ["rules", "b".repeat(4001), "at most 4,000"],
    ["announcement", "b".repeat(501), "at most 500"],
    ["contact", "javascript:alert(1)", "a mail address"],
    ["contact", "http://example.org", "a mail address"],
    ["contact", "beans", "a mail address"],
    ["accent", "red", "#1d5fa8"],
    ["accent", "#1d5fa8;}", "#1d5fa8"],
    ["accent", "#ffd400", "too pale"],
    ["accent", "#fff", "too pale"],
  ])("a site's %s may not be %j, and nothing is lost", async (field, value, message) => {
    await scene.save({ name: "Before" }).expect(303);
    const before = await scene.stored();
    const typed = { name: "After", membersInvite: "on", [field]: value };
    const { text } = await scene.save(typed).expect(422);
    expect(alertsOn(text)).toEqual([expect.stringContaining(message)]);
    expect(text).toContain(`aria-describedby="${field}-error`);
    expect(text).toMatch(/name="membersInvite" checked/);
    expect(await scene.stored()).toEqual(before);
  });

  it("what an scene.admin types is text on every page, and never markup", async () => {
    const evil = `"><script>alert(1)</script>&'`;
    const texts = {
      name: evil.slice(0, 30),
      tagline: evil,
      description: evil,
      announcement: evil,
      rules: evil,
    };
    await scene.save(texts).expect(303);
    const bare = await request(scene.world.app).get("/opensearch.xml").buffer(true);
    const stranger = scene.world.visitor();
    for (const path of ["/", "/about", "/signup", "/login", "/nowhere", "/@keeper"]) {
      const page = (await stranger.get(path)).text;
      expect(page).not.toContain("<script>alert");
      expect(page).toContain("&lt;script&gt;");
    }
    expect(bare.text).not.toContain("<script>");
    const api = await request(scene.world.app).get("/api/v1/instance/extended_description");
    expect((api.body as { content: string }).content).not.toContain("<script>");
    // Apps show this field as HTML, and the short one as text.
    const old = (await request(scene.world.app).get("/api/v1/instance")).body as Texts;
    expect(old.description).not.toContain("<script>");
    expect(old.short_description).toBe(evil);
  });

  it("a long description keeps its paragraphs, and addresses become links", async () => {
    const description = "First.\nStill first.\n\nSecond: https://beans.example/a <b>";
    await scene.save({ description }).expect(303);
    const { text } = await scene.world.visitor().get("/about").expect(200);
    expect(text).toMatch(/<p[^>]*>First\.\nStill first\.<\/p><p[^>]*>Second: <a/);
    expect(text).toContain('<a href="https://beans.example/a" rel="nofollow noopener ugc">');
    expect((await scene.world.visitor().get("/").expect(200)).text).toContain("More about");
  });

  it("a setting that a form leaves out stays", async () => {
    await scene.save({ name: "Bean Club", tagline: "Beans" }).expect(303);
    await scene.save({}).expect(303);
    expect(await scene.stored()).toMatchObject({ name: "Bean Club", tagline: "Beans" });
  });
});
