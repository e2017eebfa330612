import sharp from "sharp";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tints } from "../../../src/web/layout/avatars.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("pictures for apps", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("plain");
  });
  afterAll(() => world.close());

  const ask = (path: string) => request(world.app).get(path);

  it("accounts without pictures have addresses of PNGs that exist, for apps of any origin", async () => {
    const { body } = await ask("/api/v1/accounts/lookup?acct=plain").expect(200);
    const account = body as Record<string, string>;
    expect(account["avatar_static"]).toBe(account["avatar"]);
    expect(account["header_static"]).toBe(account["header"]);
    const sizes = { avatar: [240, 240], header: [1500, 500] };
    for (const [name, size] of Object.entries(sizes)) {
      const { pathname } = new URL(account[name] ?? "");
      const answer = await ask(pathname).expect(200);
      expect(answer.headers).toMatchObject({
        "content-type": "image/png",
        "cache-control": "public, max-age=31536000, immutable",
        "cross-origin-resource-policy": "cross-origin",
        "access-control-allow-origin": "*",
      });
      const { format, width, height } = await sharp(answer.body as Buffer).metadata();
      expect([format, width, height]).toEqual(["png", ...size]);
    }
  });

  it("there is a picture for each background, and no other", async () => {
    const pictures = await Promise.all(
      tints.map(async (_, tint) => (await ask(`/avatars/default-${tint}.png`).expect(200)).body),
    );
    expect(new Set(pictures.map((one: Buffer) => one.toString("base64"))).size).toBe(tints.length);
    for (const other of ["default-12", "default-01", "default--1", "default-1x", "default-"])
      await ask(`/avatars/${other}.png`).expect(404);
    await ask("/headers/original/other.png").expect(404);
  });

  it("the icon of the site may be shown by apps of any origin", async () => {
    const { body } = await ask("/api/v2/instance").expect(200);
    const { thumbnail } = body as { thumbnail: { url: string } };
    await ask(new URL(thumbnail.url).pathname)
      .expect(200)
      .expect("Cross-Origin-Resource-Policy", "cross-origin")
      .expect("Access-Control-Allow-Origin", "*");
  });
});
