import request from "supertest";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { logoFiles } from "../../../../src/domain/drawing/logo.ts";
import { changeLogo, prepareLogo } from "../../../../src/domain/site/edit.ts";
import { auditPage } from "../../../../src/domain/moderation/audit.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { createApp } from "../../../../src/web/app.ts";
import { Visitor } from "../../../support/actors/visitor.ts";
import { photo, picture, pngBomb } from "../../../support/data/pictures.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import { alertsOn } from "../../../support/inspect/page.ts";
import { endingAfter, pausingBefore } from "../../../support/world/ending-process.ts";
import { appOptions } from "../../../support/world/world.ts";
import { BrandingScene, forGood, logoOn, open } from "./branding-scene.ts";

describe("the logo of a site", () => {
  let scene: BrandingScene;
  beforeAll(async () => {
    scene = await BrandingScene.begin();
  });
  beforeEach(() => scene.reset());
  afterAll(() => scene.world.close());

  it("a logo becomes every icon of the site, without metadata", async () => {
    await scene
      .send(await photo())
      .expect(303)
      .expect("Location", "/admin/site?saved");
    const { text: page } = await scene.world.visitor().get("/").expect(200);
    const base = logoOn(page);
    const sizes = { "logo.webp": 192, "favicon.png": 64, "icon-192.png": 192, "icon.png": 512 };
    for (const [file, size] of Object.entries({
      ...sizes,
      "icon-maskable.png": 512,
      "apple-touch-icon.png": 180,
    })) {
      const { body, headers } = await request(scene.world.app).get(`${base}${file}`).expect(200);
      expect(headers).toMatchObject({
        "cache-control": forGood,
        "content-type": file.endsWith("webp") ? "image/webp" : "image/png",
        "cross-origin-resource-policy": "cross-origin",
      });
      const { width, height, exif, xmp } = await sharp(body as Buffer).metadata();
      expect([file, width, height, exif, xmp]).toEqual([file, size, size, undefined, undefined]);
      expect((body as Buffer).toString("latin1")).not.toMatch(/Secret|somebody/i);
    }
    for (const path of ["icon.png", "icon-192.png", "icon-maskable.png", "apple-touch-icon.png"]) {
      const fixed = await request(scene.world.app).get(`/${path}`).expect(200);
      const own = await request(scene.world.app).get(`${base}${path}`).expect(200);
      expect((own.body as Buffer).equals(fixed.body as Buffer)).toBe(true);
      expect(fixed.headers["cache-control"]).toBe("public, max-age=3600");
    }
    expect(page).not.toContain("/assets/favicon");
    const favicon = await request(scene.world.app).get("/favicon.ico").expect(200);
    expect(favicon.headers["content-type"]).toBe("image/png");
  });

  it("an icon that is asked for while the logo is changed is a logo, and no sparrow", async () => {
    const { ctx } = scene.world;
    await scene.send(await picture("png")).expect(303);
    const other = await prepareLogo(await picture("png", { width: 600, height: 200 }));
    const paused = pausingBefore(ctx, ["hmgetBuffer"], () => changeLogo(ctx, other));
    const { body } = await request(createApp(paused, appOptions)).get("/icon.png").expect(200);
    const icon = await ctx.redis.hgetBuffer(keys.site, "icon.png");
    expect(icon?.equals(body as Buffer)).toBe(true);
  });

  it("a logo of any shape is shown whole, and clear around", async () => {
    await scene.send(await picture("png", { width: 600, height: 200 })).expect(303);
    const base = logoOn((await scene.world.visitor().get("/")).text);
    const { body } = await request(scene.world.app).get(`${base}icon-192.png`).expect(200);
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
    await scene.send(await sharp(bytes, { raw }).png().toBuffer()).expect(303);
    const base = logoOn((await scene.world.visitor().get("/")).text);
    const sizeOf = async (file: string) =>
      (
        (
          await request(scene.world.app)
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
    await scene.send(await picture("png")).expect(303);
    const before = await scene.stored();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const [bytes, message] of [
      [svg, "This file is not a JPEG"],
      [(await picture("jpeg")).subarray(0, 700), "damaged"],
      [pngBomb(50_000, 50_000), "million pixels"],
      [Buffer.alloc(5_000_001), "5 MB"],
    ] as const) {
      const { text } = await scene.send(bytes).expect(422);
      expect(alertsOn(text)).toEqual([expect.stringContaining(message)]);
      expect(text).toContain('aria-describedby="logo-error');
    }
    const empty = scene.admin.agent.post("/admin/site/logo").field("nothing", "x");
    expect(alertsOn((await empty.expect(422)).text)).toHaveLength(1);
    expect(await scene.stored()).toEqual(before);
  });

  it("a logo is changed by admins and from this site only", async () => {
    const before = await scene.stored();
    const png = await picture("png");
    const member = await scene.world.newcomer(`member${Math.floor(Math.random() * 1e6)}`);
    await scene.send(png, member).expect(403);
    await scene
      .send(png, scene.world.visitor())
      .expect(303)
      .expect("Location", /^\/login/);
    await scene.send(png).set("Sec-Fetch-Site", "cross-site").expect(403);
    await member.post("/admin/site/logo/remove").expect(403);
    await member.post("/admin/site", { ...open, name: "Mine" }).expect(403);
    expect(await scene.stored()).toEqual(before);
  });

  it("a logo is in the audit log before it is changed, wherever the process ends", async () => {
    const { ctx } = scene.world;
    const cookie = sessionCookie(await scene.world.visitor().logIn("keeper"));
    const upload = await picture("png");
    const noted = async () => {
      const { items } = await auditPage(ctx, { before: undefined, limit: 100 });
      return items.filter(({ note }) => note === "logo").length;
    };
    let isDone = false;
    for (let commands = 0; !isDone; commands += 1) {
      await scene.reset();
      await ctx.redis.del(keys.auditLog);
      const admin = new Visitor(createApp(endingAfter(ctx, commands), appOptions));
      admin.agent.set("Cookie", cookie);
      isDone = (await scene.send(upload, admin)).status === 303;
      const changes = (await scene.stored())["logo"] === undefined ? 0 : 1;
      expect(await noted()).toBeGreaterThanOrEqual(changes);
    }
  });

  it("a button removes the logo with all its pictures, and the sparrow is back", async () => {
    await scene.send(await picture("png")).expect(303);
    const base = logoOn((await scene.admin.get("/admin/site")).text);
    expect(base).not.toBe("");
    await scene.admin.post("/admin/site/logo/remove").expect(303);
    const { text } = await scene.admin.get("/admin/site").expect(200);
    expect(text).toMatch(/brand-mark" src="\/assets\/favicon-/);
    expect(text).not.toContain("/admin/site/logo/remove");
    expect(Object.keys(await scene.stored())).toEqual(["logo"]);
    for (const file of ["logo.webp", "icon.png"])
      await request(scene.world.app)
        .get(base + file)
        .expect(404)
        .expect("Cache-Control", /no-store|no-cache/);
    const icon = await request(scene.world.app).get("/favicon.ico").expect(200);
    expect(icon.headers["content-type"]).not.toBe("image/png");
  });

  it.each(["/logo/0123456789abcdef/icon.png", "/logo//icon.png", "/logo/x/name", "/logo/x/y/z"])(
    "there is no picture at %s",
    async (path) => {
      await scene.save({ name: "Bean Club" }).expect(303);
      const { body } = await request(scene.world.app).get(path).expect(404);
      expect(String(body)).not.toContain("Bean Club");
    },
  );
});
