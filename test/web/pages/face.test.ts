import request from "supertest";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { logoFiles } from "../../../src/domain/site/logo.ts";
import { defaultName, writeSite } from "../../../src/domain/site/settings.ts";
import { keys } from "../../../src/redis/keys.ts";
import { photo, picture, pngBomb } from "../../support/data/pictures.ts";
import { alertsOn, hiddenFields } from "../../support/inspect/page.ts";
import { expectSecureHeaders } from "../../support/inspect/secure-headers.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const forGood = "public, max-age=31536000, immutable";
const members = { signUp: "open", read: "public", rules: "" };

describe("the face of a site", () => {
  let world: World;
  let admin: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["keeper"] }, { workers: false });
    admin = await world.newcomer("keeper");
  });
  beforeEach(async () => {
    await world.ctx.redis.del(keys.site);
  });
  afterAll(() => world.close());

  const save = (fields: Record<string, string>) =>
    admin.post("/admin/site", { ...members, ...fields });
  const send = (bytes: Buffer, by = admin) =>
    by.agent.post("/admin/site/logo").attach("logo", bytes, "logo.png");
  const logoOn = (page: string) => /"(\/logo\/[0-9a-f]{16}\/)favicon\.png"/.exec(page)?.[1] ?? "";
  const stored = () => world.ctx.redis.hgetall(keys.site);

  describe("its texts", () => {
    it("texts within their limits are kept, and shown in the form again", async () => {
      await save({
        name: "  Bean\u202E  Club ",
        tagline: "Beans\nfor all",
        contact: "mailto:beans@example.org",
        accent: "1D5FA8",
      }).expect(303);
      const { text } = await admin.get("/admin/site?saved").expect(200);
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
      await save({ name: "Before" }).expect(303);
      const before = await stored();
      const typed = { name: "After", tagline: "What I typed", [field]: value };
      const { text } = await save(typed).expect(422);
      expect(alertsOn(text)).toEqual([expect.stringContaining(message)]);
      expect(text).toContain(`aria-describedby="${field}-error`);
      if (field !== "tagline") expect(text).toContain("What I typed");
      expect(await stored()).toEqual(before);
    });

    it("what an admin types is text on every page, and never markup", async () => {
      const evil = `"><script>alert(1)</script>&'`;
      const texts = {
        name: evil.slice(0, 30),
        tagline: evil,
        description: evil,
        announcement: evil,
        rules: evil,
      };
      await save(texts).expect(303);
      const bare = await request(world.app).get("/opensearch.xml").buffer(true);
      const stranger = world.visitor();
      for (const path of ["/", "/about", "/signup", "/login", "/nowhere", "/@keeper"]) {
        const page = (await stranger.get(path)).text;
        expect(page).not.toContain("<script>alert");
        expect(page).toContain("&lt;script&gt;");
      }
      expect(bare.text).not.toContain("<script>");
      const api = await request(world.app).get("/api/v1/instance/extended_description");
      expect((api.body as { content: string }).content).not.toContain("<script>");
    });

    it("a long description keeps its paragraphs, and addresses become links", async () => {
      const description = "First.\nStill first.\n\nSecond: https://beans.example/a <b>";
      await save({ description }).expect(303);
      const { text } = await world.visitor().get("/about").expect(200);
      expect(text).toMatch(/<p[^>]*>First\.\nStill first\.<\/p><p[^>]*>Second: <a/);
      expect(text).toContain('<a href="https://beans.example/a" rel="nofollow noopener ugc">');
      expect((await world.visitor().get("/").expect(200)).text).toContain("More about");
    });

    it("a setting that a form leaves out stays", async () => {
      await save({ name: "Bean Club", tagline: "Beans" }).expect(303);
      await save({}).expect(303);
      expect(await stored()).toMatchObject({ name: "Bean Club", tagline: "Beans" });
    });
  });

  describe("its accent", () => {
    it("an accent colours all pages by a stylesheet of this site", async () => {
      await save({ accent: "#1d5fa8" }).expect(303);
      for (const path of ["/", "/login", "/nowhere"]) {
        const page = await world.visitor().get(path);
        expect(page.text).toContain('<link rel="stylesheet" href="/accent/1d5fa8.css"');
        expect(page.text).not.toMatch(/<style|style="/);
        expectSecureHeaders(page);
      }
      const style = await request(world.app).get("/accent/1d5fa8.css").expect(200);
      expect(style.text).toMatch(
        /^@layer tokens\{:root\{--accent:light-dark\(#1d5fa8,#[0-9a-f]{6}\);/,
      );
      expect(style.headers).toMatchObject({ "cache-control": forGood });
      expect(style.headers["content-type"]).toMatch(/^text\/css/);
      await save({ accent: "" }).expect(303);
      expect((await world.visitor().get("/")).text).not.toContain("/accent/");
    });

    it.each(["/accent/ffffff.css", "/accent/1d5fa8", "/accent/1D5FA8.css", "/accent/x.css"])(
      "there is no stylesheet %s",
      async (path) => {
        await request(world.app).get(path).expect(404);
      },
    );
  });

  describe("its logo", () => {
    it("a logo becomes every icon of the site, without metadata", async () => {
      await send(await photo())
        .expect(303)
        .expect("Location", "/admin/site?saved");
      const { text: page } = await world.visitor().get("/").expect(200);
      const base = logoOn(page);
      const sizes = { "logo.webp": 192, "favicon.png": 64, "icon-192.png": 192, "icon.png": 512 };
      for (const [file, size] of Object.entries({
        ...sizes,
        "icon-maskable.png": 512,
        "apple-touch-icon.png": 180,
      })) {
        const { body, headers } = await request(world.app).get(`${base}${file}`).expect(200);
        expect(headers).toMatchObject({
          "cache-control": forGood,
          "content-type": file.endsWith("webp") ? "image/webp" : "image/png",
          "cross-origin-resource-policy": "cross-origin",
        });
        const { width, height, exif, xmp } = await sharp(body as Buffer).metadata();
        expect([file, width, height, exif, xmp]).toEqual([file, size, size, undefined, undefined]);
        expect((body as Buffer).toString("latin1")).not.toMatch(/Secret|somebody/i);
      }
      for (const path of [
        "icon.png",
        "icon-192.png",
        "icon-maskable.png",
        "apple-touch-icon.png",
      ]) {
        const fixed = await request(world.app).get(`/${path}`).expect(200);
        const own = await request(world.app).get(`${base}${path}`).expect(200);
        expect((own.body as Buffer).equals(fixed.body as Buffer)).toBe(true);
        expect(fixed.headers["cache-control"]).toBe("public, max-age=3600");
      }
      expect(page).not.toContain("/assets/favicon");
      const favicon = await request(world.app).get("/favicon.ico").expect(200);
      expect(favicon.headers["content-type"]).toBe("image/png");
    });

    it("a logo of any shape is shown whole, and clear around", async () => {
      await send(await picture("png", { width: 600, height: 200 })).expect(303);
      const base = logoOn((await world.visitor().get("/")).text);
      const { body } = await request(world.app).get(`${base}icon-192.png`).expect(200);
      const pixels = await sharp(body as Buffer)
        .ensureAlpha()
        .raw()
        .toBuffer();
      const alphaAt = (x: number, y: number) => pixels[(y * 192 + x) * 4 + 3];
      expect([alphaAt(96, 10), alphaAt(5, 96), alphaAt(186, 96)]).toEqual([0, 255, 255]);
    });

    it("what pages load of a logo is small, even of noise", async () => {
      const bytes = Buffer.from(Array.from({ length: 512 * 512 * 4 }, () => Math.random() * 256));
      const raw = { width: 512, height: 512, channels: 4 } as const;
      await send(await sharp(bytes, { raw }).png().toBuffer()).expect(303);
      const base = logoOn((await world.visitor().get("/")).text);
      const sizeOf = async (file: string) =>
        (
          (
            await request(world.app)
              .get(base + file)
              .expect(200)
          ).body as Buffer
        ).length;
      expect(await sizeOf("logo.webp")).toBeLessThanOrEqual(3000);
      expect(await sizeOf("favicon.png")).toBeLessThanOrEqual(1500);
      const all = await Promise.all(logoFiles.map((file) => sizeOf(file)));
      expect(all.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1_000_000);
    });

    it("a file that is no picture is refused beside the field, and the logo stays", async () => {
      await send(await picture("png")).expect(303);
      const before = await stored();
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      for (const [bytes, message] of [
        [svg, "This file is not a JPEG"],
        [(await picture("jpeg")).subarray(0, 700), "damaged"],
        [pngBomb(50_000, 50_000), "million pixels"],
        [Buffer.alloc(5_000_001), "5 MB"],
      ] as const) {
        const { text } = await send(bytes).expect(422);
        expect(alertsOn(text)).toEqual([expect.stringContaining(message)]);
        expect(text).toContain('aria-describedby="logo-error');
      }
      const empty = admin.agent.post("/admin/site/logo").field("nothing", "x");
      expect(alertsOn((await empty.expect(422)).text)).toHaveLength(1);
      expect(await stored()).toEqual(before);
    });

    it("a logo is changed by admins and from this site only", async () => {
      const before = await stored();
      const png = await picture("png");
      const member = await world.newcomer(`member${Math.floor(Math.random() * 1e6)}`);
      await send(png, member).expect(403);
      await send(png, world.visitor())
        .expect(303)
        .expect("Location", /^\/login/);
      await send(png).set("Sec-Fetch-Site", "cross-site").expect(403);
      await member.post("/admin/site/logo/remove").expect(403);
      await member.post("/admin/site", { ...members, name: "Mine" }).expect(403);
      expect(await stored()).toEqual(before);
    });

    it("a button removes the logo with all its pictures, and the sparrow is back", async () => {
      await send(await picture("png")).expect(303);
      const base = logoOn((await admin.get("/admin/site")).text);
      expect(base).not.toBe("");
      await admin.post("/admin/site/logo/remove").expect(303);
      const { text } = await admin.get("/admin/site").expect(200);
      expect(text).toMatch(/brand-mark" src="\/assets\/favicon-/);
      expect(text).not.toContain("/admin/site/logo/remove");
      expect(Object.keys(await stored())).toEqual(["logo"]);
      for (const file of ["logo.webp", "icon.png"])
        await request(world.app)
          .get(base + file)
          .expect(404)
          .expect("Cache-Control", /no-store|no-cache/);
      const icon = await request(world.app).get("/favicon.ico").expect(200);
      expect(icon.headers["content-type"]).not.toBe("image/png");
    });

    it.each(["/logo/0123456789abcdef/icon.png", "/logo//icon.png", "/logo/x/name", "/logo/x/y/z"])(
      "there is no picture at %s",
      async (path) => {
        await save({ name: "Bean Club" }).expect(303);
        const { body } = await request(world.app).get(path).expect(404);
        expect(String(body)).not.toContain("Bean Club");
      },
    );
  });

  describe("its announcement", () => {
    const announcement = "Closed on Sunday, see https://beans.example/";
    const closing = (page: string) => hiddenFields(page, "/announcement");

    it("an announcement is on every page until the viewer closes it, signed in or not", async () => {
      await save({ announcement }).expect(303);
      for (const viewer of [world.visitor(), admin]) {
        const paths = ["/explore", "/about", "/@keeper", "/nowhere"];
        for (const path of paths)
          expect((await viewer.get(path)).text).toContain("Closed on Sunday");
        const { text } = await viewer.get("/explore").expect(200);
        expect(text).toContain('<a href="https://beans.example/" rel="nofollow noopener ugc">');
        const fields = closing(text);
        expect(fields["next"]).toBe("/explore");
        const closed = await viewer.post("/announcement", fields).expect(303);
        expect(closed.headers["location"]).toBe("/explore");
        expect(String(closed.headers["set-cookie"])).toMatch(/HttpOnly.*SameSite=Lax/i);
        for (const path of paths)
          expect((await viewer.get(path)).text).not.toContain("Closed on Sunday");
      }
      expect((await world.visitor().get("/explore")).text).toContain("Closed on Sunday");
    });

    it("a new announcement is shown to those who closed the last one", async () => {
      await save({ announcement }).expect(303);
      const viewer = world.visitor();
      const { text } = await viewer.get("/").expect(200);
      await viewer.post("/announcement", closing(text)).expect(303);
      await save({ announcement: "Open again" }).expect(303);
      expect((await viewer.get("/").expect(200)).text).toContain("Open again");
    });

    it("closing leads to pages of this site only, and takes nothing but a digest", async () => {
      const viewer = world.visitor();
      const fields = { announcement: "0123456789abcdef", next: "//evil.example" };
      const { headers } = await viewer.post("/announcement", fields).expect(303);
      expect(headers["location"]).toBe("/");
      for (const one of ["", "x", "0123456789ABCDEF", "0123456789abcdef; Domain=evil.example"])
        await viewer.post("/announcement", { announcement: one, next: "/" }).expect(422);
    });

    it("an announcement on a site for members is for members", async () => {
      await save({ read: "members", announcement: "Only for us" }).expect(303);
      expect((await world.visitor().get("/login").expect(200)).text).not.toContain("Only for us");
      expect((await admin.get("/about").expect(200)).text).toContain("Only for us");
    });
  });

  it("kept pages show a new face at once, and cost no command while nothing changes", async () => {
    const changes: [fields: Record<string, string>, shows: string][] = [
      [{ name: "Bean Club" }, "Bean Club"],
      [{ accent: "#1d5fa8" }, "/accent/1d5fa8.css"],
      [{ announcement: "Closed" }, 'class="announcement"'],
    ];
    const viewers = [admin, world.visitor()];
    const paths = ["/", "/explore"];
    const visitAll = async (shows: string) => {
      for (const viewer of viewers)
        for (const path of paths)
          expect((await viewer.get(path).expect(200)).text).toContain(shows);
    };
    await visitAll(defaultName);
    for (const [fields, shows] of changes) {
      await save(fields).expect(303);
      await visitAll(shows);
    }
    await send(await picture("png")).expect(303);
    await visitAll("/logo/");
    await visitAll("/logo/");
    const sent = vi.spyOn(world.ctx.redis, "sendCommand");
    await visitAll("/logo/");
    expect(sent).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("a site for members shows its face to strangers, who must log in, and nothing else", async () => {
    await save({ read: "members", name: "Bean Club", accent: "#1d5fa8" }).expect(303);
    await send(await picture("png")).expect(303);
    const stranger = world.visitor();
    const { text } = await stranger.get("/login").expect(200);
    expect(text).toContain("Log in · Bean Club");
    for (const file of logoFiles) await stranger.get(logoOn(text) + file).expect(200);
    for (const path of ["/accent/1d5fa8.css", "/favicon.ico", "/manifest.webmanifest"])
      await stranger.get(path).expect(200);
    await stranger.get("/explore").expect(303);
  });

  it("settings that another program wrote cannot break a page", async () => {
    await writeSite(world.ctx, { name: "", accent: "#ffffff", logo: "../x" });
    const { text } = await world.visitor().get("/").expect(200);
    expect(text).toContain("<!DOCTYPE html>");
  });
});
