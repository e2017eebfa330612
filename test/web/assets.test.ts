import sharp from "sharp";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type Site } from "../support/world/serve.ts";
import { decode, getEncoded } from "../support/actors/encoded-response.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the stylesheet and the script", () => {
  let world: World;
  let site: Site;
  let page: string;
  let css: string;
  let js: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    site = await serve(world.app);
    page = (await request(world.app).get("/")).text;
    css = /<link rel="stylesheet" href="([^"]*)"/.exec(page)?.[1] ?? "";
    js = /<script type="module" src="([^"]*)"/.exec(page)?.[1] ?? "";
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  const get = (path: string, accepted = "identity", known = "") =>
    getEncoded(site.port, path, { "Accept-Encoding": accepted, "If-None-Match": known });

  it("stylesheet and script are one file each, with a hash in the name", () => {
    expect(css).toMatch(/^\/assets\/app-[A-Z0-9]{8}\.css$/);
    expect(js).toMatch(/^\/assets\/app-[A-Z0-9]{8}\.js$/);
    expect(page.match(/<link rel="stylesheet"/g)).toHaveLength(1);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("stylesheet and script are cached for good, and set no cookie", async () => {
    for (const path of [css, js]) {
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(headers["set-cookie"]).toBeUndefined();
      expect(headers["vary"]).toBe("Accept-Encoding");
    }
    expect((await get(css)).headers["content-type"]).toBe("text/css; charset=utf-8");
    expect((await get(js)).headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  it.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", undefined],
    ["", undefined],
    ["nonsense", undefined],
  ])(
    "stylesheet and script are sent to a client that accepts '%s' as %s",
    async (accepted, encoding) => {
      const plain = (await get(css)).body;
      const answer = await get(css, accepted);
      expect(answer.headers["content-encoding"]).toBe(encoding);
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
      expect(decode(answer).equals(plain)).toBe(true);
    },
  );

  it("stylesheet and script insert no style into pages, which the policy would refuse", async () => {
    const script = String((await get(js)).body);
    expect(script).toContain("turbo-progress-bar");
    expect(script.match(/createElement\(["'`]style/g)).toBeNull();
  });

  it("stylesheet and script stand in for those of another version, uncached", async () => {
    const other = await get("/assets/app-AAAAAAAA.css");
    expect(other.headers["cache-control"]).toBe("no-store");
    expect(other.body.equals((await get(css)).body)).toBe(true);
  });

  it.each([
    "/assets/app.css",
    "/assets/none-AAAAAAAA.css",
    "/assets/",
    "/assets/__proto__-AAAAAAAA",
  ])("stylesheet and script are nowhere else: %s", async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(404);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("stylesheet and script are not sent again to a client that has them", async () => {
    const { headers } = await get(css, "br");
    const again = await get(css, "br", String(headers["etag"]));
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    await request(world.app).head(css).expect(200);
    await request(world.app).post(css).expect(404);
  });

  it("icons are cached for an hour, in the sizes that they declare", async () => {
    const manifest = await get("/manifest.webmanifest");
    expect(manifest.headers["content-type"]).toContain("application/manifest+json");
    expect(manifest.headers["cache-control"]).toBe("public, max-age=3600");
    const { icons, shortcuts, ...rest } = JSON.parse(String(manifest.body)) as Manifest;
    expect(rest).toMatchObject({ name: "Suzume", start_url: "/", display: "standalone" });
    for (const icon of icons) {
      const answer = await get(icon.src);
      expect(answer.headers["content-type"]).toContain(icon.type);
      if (icon.sizes === "any") continue;
      const { width, height } = await sharp(answer.body).metadata();
      expect(`${width}x${height}`).toBe(icon.sizes);
    }
    expect(icons.map(({ sizes }) => sizes)).toEqual(
      expect.arrayContaining(["192x192", "512x512", "any"]),
    );
    expect(icons.filter(({ purpose }) => purpose === "maskable")).toHaveLength(1);
    for (const { url } of shortcuts)
      expect((await request(world.app).get(url)).status).toBeOneOf([200, 303]);
    const touch = await sharp((await get("/apple-touch-icon.png")).body).stats();
    expect(touch.isOpaque).toBe(true);
    expect((await get("/favicon.ico")).headers["content-type"]).toMatch(/icon/);
  });
});

interface Manifest {
  icons: { src: string; sizes: string; type: string; purpose?: string }[];
  shortcuts: { url: string }[];
}
