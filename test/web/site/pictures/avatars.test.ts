import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../../src/domain/users/suspension.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { expectSecureHeaders } from "../../../support/inspect/secure-headers.ts";
import { photo, picture, pngBomb } from "../../../support/data/pictures.ts";
import { alertsOn, avatarOn } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("the avatars", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("somebody");
  });
  afterAll(() => world.close());

  const immutable = "public, max-age=31536000, immutable";
  /** By browsers for good, by what stands before them for ten minutes: a picture may be taken away. */
  const picturesKept = "public, max-age=31536000, s-maxage=600, immutable";
  const send = (
    bytes: Buffer,
    options: string | { filename: string; contentType?: string } = "a.jpg",
  ) => person.agent.post("/settings/avatar").attach("avatar", bytes, options);
  const post = (path: string) => person.agent.post(`/settings/avatar${path}`);
  const stored = async () => {
    const { id } = await getUserByName(world.ctx, "somebody");
    return [
      await world.ctx.redis.hgetall(keys.user(id)),
      await world.ctx.redis.getBuffer(keys.avatar(id)),
    ];
  };

  it("letter avatars are cached for good", async () => {
    const { text } = await person.get("/@somebody").expect(200);
    const answer = await request(world.app).get(avatarOn(text)).expect(200);
    expect(answer.headers).toMatchObject({
      "content-type": expect.stringMatching(/^image\/svg\+xml/) as unknown,
      "cache-control": immutable,
    });
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expect(answer.headers).not.toHaveProperty("vary");
    expectSecureHeaders(answer);
    expect(String(answer.body)).toContain(">T</text></svg>");
  });

  it("an app that knows a former address of an avatar is led to the present one", async () => {
    const changing = await world.newcomer("changing");
    const change = async () => {
      const sent = changing.agent.post("/settings/avatar");
      await sent.attach("avatar", await photo(), "a.jpg").expect(303);
      return avatarOn((await changing.get("/@changing").expect(200)).text);
    };
    const former = await change();
    const present = await change();
    const answer = await request(world.app).get(former).expect(302).expect("Location", present);
    expect(answer.headers).toMatchObject({ "access-control-allow-origin": "*" });
    const { headers } = await request(world.app)
      .get("/avatars/999-0123456789abcdef.webp")
      .expect(404);
    expect(headers).toMatchObject({ "access-control-allow-origin": "*" });
  });

  it("a suspended user's avatar is not shown, even by its URL (M7)", async () => {
    const shown = await world.newcomer("shown");
    const user = await getUserByName(world.ctx, "shown");
    await shown.agent
      .post("/settings/avatar")
      .attach("avatar", await photo(), "a.jpg")
      .expect(303);
    const address = avatarOn((await shown.get("/@shown").expect(200)).text);
    expect(address).toMatch(/webp$/);
    await request(world.app).get(address).expect(200);
    await suspendUser(world.ctx, user);
    await request(world.app).get(address).expect(404);
    await reinstateUser(world.ctx, user);
    await request(world.app).get(address).expect(200);
  });

  it("avatars may be embedded by apps on other sites, as nothing else may", async () => {
    const policy = "Cross-Origin-Resource-Policy";
    const { text } = await person.get("/@somebody").expect(200).expect(policy, "same-origin");
    await request(world.app).get(avatarOn(text)).expect(200).expect(policy, "cross-origin");
  });

  it("an avatar can be uploaded, whatever the file's name and type", async () => {
    const file = { filename: `../"><script>.svg`, contentType: "text/html" };
    await send(await photo(), file)
      .expect(303)
      .expect("Location", "/settings/profile?saved");
    const { text } = await person.get("/settings/profile?saved").expect(200);
    expect(text).toContain("Your profile is saved.");
    expect(text).toContain("/settings/avatar/remove");
    const answer = await request(world.app).get(avatarOn(text)).expect(200);
    expect(answer.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": picturesKept,
    });
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expectSecureHeaders(answer);
    expect((answer.body as Buffer).subarray(8, 12).toString()).toBe("WEBP");
    await request(world.app).head(avatarOn(text)).expect(200).expect("Cache-Control", picturesKept);
  });

  it("missing avatars are not cached", async () => {
    const { text } = await person.get("/@somebody");
    for (const path of [
      avatarOn(text).replace(".webp", ".svg"),
      "/avatars/999-0123456789abcdef.webp",
      "/avatars/1-.webp",
      "/avatars/1-0123456789ABCDEF.webp",
      "/avatars/01-0123456789abcdef.webp",
      "/avatars/1-3c-2f.svg",
      "/avatars/99-41.svg",
      "/avatars/x",
      "/avatars/",
    ]) {
      const answer = await request(world.app).get(path).expect(404);
      expect(String(answer.headers["cache-control"])).not.toMatch(/public|immutable|max-age/);
      expectSecureHeaders(answer);
    }
  });

  it("a file that is no picture is refused beside the field, and nothing is lost", async () => {
    await person.post("/settings/profile", { fullname: "Some Body", bio: "my bio", website: "" });
    const before = await stored();
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    );
    const broken = (await picture("jpeg")).subarray(0, 700);
    for (const [bytes, message] of [
      [svg, "This file is not a JPEG"],
      [Buffer.from("<!doctype html><script>alert(1)</script>"), "This file is not a JPEG"],
      [Buffer.from("x"), "This file is not a JPEG"],
      [broken, "damaged"],
      [pngBomb(50_000, 50_000), "million pixels"],
      [Buffer.alloc(5_000_001), "5 MB"],
      [Buffer.concat([await picture("jpeg"), Buffer.alloc(6_000_000)]), "5 MB"],
    ] as const) {
      const answer = await send(bytes, { filename: "me.png", contentType: "image/png" }).expect(
        422,
      );
      expect(alertsOn(answer.text)).toEqual([expect.stringContaining(message)]);
      expect(answer.text).toContain('value="Some Body"');
      expect(answer.text).toContain("my bio");
      expectSecureHeaders(answer);
    }
    expect(await stored()).toEqual(before);
  });

  it("avatars are changed by their owner and from this site only", async () => {
    const before = await stored();
    const png = await picture("gif");
    const foreign = { "Sec-Fetch-Site": "cross-site" };
    await post("").set(foreign).attach("avatar", png, "a.gif").expect(403);
    await post("").set("Origin", "https://evil.example").attach("avatar", png, "a.gif").expect(403);
    await post("/remove").set(foreign).expect(403);
    const stranger = request(world.app);
    for (const path of ["/settings/avatar", "/settings/avatar/remove"])
      await stranger
        .post(path)
        .expect(303)
        .expect("Location", /^\/login/);
    await stranger.post("/settings/avatar").attach("avatar", png, "a.gif").expect(303);
    expect(await stored()).toEqual(before);
  });

  it("a button removes the avatar, and the letter is back", async () => {
    await person.post("/settings/avatar/remove").expect(303);
    const { text } = await person.get("/settings/profile").expect(200);
    expect(avatarOn(text)).toMatch(/^\/avatars\/\d+-53\.svg$/);
    expect(text).not.toContain("/settings/avatar/remove");
    await person.post("/settings/avatar/remove").expect(303);
  });
});

it("on a site for members no address of an avatar is learned by guessing another", async () => {
  const club = await createWorld({ read: "members" }, { workers: false });
  const member = await club.newcomer("clubber");
  await member.agent
    .post("/settings/avatar")
    .attach("avatar", await photo(), "a.jpg")
    .expect(303);
  const { id } = await getUserByName(club.ctx, "clubber");
  await request(club.app).get(`/avatars/${id}-0123456789abcdef.webp`).expect(404);
  await club.close();
});
