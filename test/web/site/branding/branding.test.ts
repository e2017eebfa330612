import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { logoFiles } from "../../../../src/domain/drawing/logo.ts";
import { defaultName, writeSite } from "../../../../src/domain/site/settings.ts";
import { picture } from "../../../support/data/pictures.ts";
import { hiddenFields } from "../../../support/inspect/page.ts";
import { expectSecureHeaders } from "../../../support/inspect/secure-headers.ts";
import { BrandingScene, forGood, logoOn } from "./branding-scene.ts";

const announcement = "Closed on Sunday, see https://beans.example/";
const closing = (page: string) => hiddenFields(page, "/announcement");

describe("the branding of a site", () => {
  let scene: BrandingScene;
  beforeAll(async () => {
    scene = await BrandingScene.begin();
  });
  beforeEach(() => scene.reset());
  afterAll(() => scene.world.close());

  it("an accent colours all pages by a stylesheet of this site", async () => {
    await scene.save({ accent: "#1d5fa8" }).expect(303);
    for (const path of ["/", "/login", "/nowhere"]) {
      const page = await scene.world.visitor().get(path);
      expect(page.text).toContain('<link rel="stylesheet" href="/accent/1d5fa8.css"');
      expect(page.text).not.toMatch(/<style|style="/);
      expectSecureHeaders(page);
    }
    const style = await request(scene.world.app).get("/accent/1d5fa8.css").expect(200);
    expect(style.text).toMatch(
      /^@layer tokens\{:root\{--accent:light-dark\(#1d5fa8,#[0-9a-f]{6}\);/,
    );
    expect(style.headers).toMatchObject({ "cache-control": forGood });
    expect(style.headers["content-type"]).toMatch(/^text\/css/);
    await scene.save({ accent: "" }).expect(303);
    expect((await scene.world.visitor().get("/")).text).not.toContain("/accent/");
  });

  it.each(["/accent/ffffff.css", "/accent/1d5fa8", "/accent/1D5FA8.css", "/accent/x.css"])(
    "there is no stylesheet %s",
    async (path) => {
      await request(scene.world.app).get(path).expect(404);
    },
  );

  it("an announcement is on every page until the viewer closes it, signed in or not", async () => {
    await scene.save({ announcement }).expect(303);
    for (const viewer of [scene.world.visitor(), scene.admin]) {
      const paths = ["/explore", "/about", "/@keeper", "/nowhere"];
      for (const path of paths) expect((await viewer.get(path)).text).toContain("Closed on Sunday");
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
    expect((await scene.world.visitor().get("/explore")).text).toContain("Closed on Sunday");
  });

  it("a new announcement is shown to those who closed the last one", async () => {
    await scene.save({ announcement }).expect(303);
    const viewer = scene.world.visitor();
    const { text } = await viewer.get("/").expect(200);
    await viewer.post("/announcement", closing(text)).expect(303);
    await scene.save({ announcement: "Open again" }).expect(303);
    expect((await viewer.get("/").expect(200)).text).toContain("Open again");
  });

  it("closing leads to pages of this site only, and takes nothing but a digest", async () => {
    const viewer = scene.world.visitor();
    const fields = { announcement: "0123456789abcdef", next: "//evil.example" };
    const { headers } = await viewer.post("/announcement", fields).expect(303);
    expect(headers["location"]).toBe("/");
    for (const one of ["", "x", "0123456789ABCDEF", "0123456789abcdef; Domain=evil.example"])
      await viewer.post("/announcement", { announcement: one, next: "/" }).expect(422);
  });

  it("the audit log calls changed settings what the form calls them, in the reader's language", async () => {
    const log = async () => (await scene.admin.get("/admin/audit").expect(200)).text;
    await scene.save({ tagline: "Beans for all", membersInvite: "on" }).expect(303);
    await scene.send(await picture("png")).expect(303);
    const text = await log();
    expect(text).toContain('<p class="record-text" dir="auto">Logo</p>');
    expect(text).toContain(">One-line description · Members can invite people, too<");
    scene.admin.agent.set("Accept-Language", "ja");
    expect(await log()).toContain(">ロゴ<");
    scene.admin.agent.set("Accept-Language", "en");
  });

  it("an announcement on a site for members is for members", async () => {
    await scene.save({ read: "members", announcement: "Only for us" }).expect(303);
    expect((await scene.world.visitor().get("/login").expect(200)).text).not.toContain(
      "Only for us",
    );
    expect((await scene.admin.get("/about").expect(200)).text).toContain("Only for us");
  });

  it("kept pages show a new branding at once, and cost no command while nothing changes", async () => {
    const changes: [fields: Record<string, string>, shows: string][] = [
      [{ name: "Bean Club" }, "Bean Club"],
      [{ accent: "#1d5fa8" }, "/accent/1d5fa8.css"],
      [{ announcement: "Closed" }, 'class="announcement"'],
    ];
    const viewers = [scene.admin, scene.world.visitor()];
    const paths = ["/", "/explore"];
    const visitAll = async (shows: string) => {
      for (const viewer of viewers)
        for (const path of paths)
          expect((await viewer.get(path).expect(200)).text).toContain(shows);
    };
    await visitAll(defaultName);
    for (const [fields, shows] of changes) {
      await scene.save(fields).expect(303);
      await visitAll(shows);
    }
    await scene.send(await picture("png")).expect(303);
    await visitAll("/logo/");
    await visitAll("/logo/");
    const sent = vi.spyOn(scene.world.ctx.redis, "sendCommand");
    onTestFinished(() => void vi.restoreAllMocks());
    await visitAll("/logo/");
    expect(sent).not.toHaveBeenCalled();
  });

  it("a site for members shows its branding to strangers, who must log in, and nothing else", async () => {
    await scene.save({ read: "members", name: "Bean Club", accent: "#1d5fa8" }).expect(303);
    await scene.send(await picture("png")).expect(303);
    const stranger = scene.world.visitor();
    const { text } = await stranger.get("/login").expect(200);
    expect(text).toContain("Log in · Bean Club");
    for (const file of logoFiles)
      await stranger
        .get(logoOn(text) + file)
        .expect(200)
        .expect("Cross-Origin-Resource-Policy", "cross-origin")
        .expect("Access-Control-Allow-Origin", "*");
    for (const path of ["/accent/1d5fa8.css", "/favicon.ico", "/manifest.webmanifest"])
      await stranger.get(path).expect(200);
    await stranger.get("/explore").expect(303);
  });

  it("settings that another program wrote cannot break a page", async () => {
    await writeSite(scene.world.ctx, { name: "", accent: "#ffffff", logo: "../x" });
    const { text } = await scene.world.visitor().get("/").expect(200);
    expect(text).toContain("<!DOCTYPE html>");
  });
});
