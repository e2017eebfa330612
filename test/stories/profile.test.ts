import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { photo } from "../support/data/pictures.ts";
import { alertsOn, avatarOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { findKeys } from "../support/world/redis-nodes.ts";

describe("a profile", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let picture = "";
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    await bob.follow("ann");
    await ann.tweet("hello");
    await world.delivered();
  });
  afterAll(() => closeChecked(world));

  it("a user fills in the profile", async () => {
    const fullname = "Ann of the <Reeds>";
    const bio = "Birds, mostly. #reeds\nhttps://reeds.example/about @bob";
    const website = "https://www.example.org/~ann/";
    await ann.post("/settings/profile", { fullname, bio, website }).expect(303);
    const settings = (await ann.get("/settings/profile").expect(200)).text;
    expect(settings).toContain(`value="${website}"`);
    const { text } = await bob.get("/@ann").expect(200);
    expect(text).toContain("Ann of the &lt;Reeds&gt;");
    expect(text).toMatch(
      /<a class="u-url" href="https:\/\/www\.example\.org\/~ann\/" rel="nofollow noopener me ugc"[^>]*>example\.org\/~ann<\/a>/,
    );
    expect(text).toContain('<a href="https://reeds.example/about" rel="nofollow noopener ugc">');
    expect(text).toContain('<a href="/tags/reeds">#reeds</a>');
    expect(text).toContain('<a href="/@bob">@bob</a>');
  });

  it("a mistyped website is refused, and the other fields come back as typed", async () => {
    const typed = { fullname: "Ann", bio: "new words", website: "javascript:alert(1)" };
    const { text } = await ann.post("/settings/profile", typed).expect(422);
    expect(alertsOn(text)).toEqual([
      "Please enter a website address like https://example.org, without spaces or a password.",
    ]);
    expect(text).toContain("new words");
    expect(text).toContain('value="javascript:alert(1)"');
    expect((await bob.get("/@ann")).text).not.toMatch(/new words|javascript/);
  });

  it("a new user's avatar is a letter", async () => {
    picture = avatarOn((await ann.get("/@ann")).text);
    expect(picture).toMatch(/\.svg$/);
    await bob.get(picture).expect(200);
  });

  it("an uploaded avatar is shown at once on every page", async () => {
    const upload = ann.agent.post("/settings/avatar");
    await upload.attach("avatar", await photo(), "me.jpg").expect(303);
    const letter = picture;
    picture = avatarOn((await ann.get("/@ann")).text);
    expect(picture).toMatch(/\.webp$/);
    for (const path of ["/", "/@ann", "/tweets/1", "/settings/profile", "/@bob/followings"]) {
      const { text } = await ann.get(path).expect(200);
      expect([path, text.includes(picture), text.includes(letter)]).toEqual([path, true, false]);
    }
    const { body } = await ann.get(picture).expect(200).expect("Content-Type", "image/webp");
    expect(await sharp(body as Buffer).metadata()).toMatchObject({ width: 192, height: 192 });
  });

  it("an avatar is shown to others, signed in or not", async () => {
    for (const reader of [bob, world.visitor()]) {
      expect(avatarOn((await reader.get("/@ann").expect(200)).text)).toBe(picture);
      await reader
        .get(picture)
        .expect(200)
        .expect("Cache-Control", /immutable/);
    }
    expect((await bob.get("/").expect(200)).text).toContain(picture);
  });

  it("a removed avatar is gone completely", async () => {
    await ann.post("/settings/avatar/remove").expect(303);
    await ann.get("/settings/profile").expect(200);
    for (const path of ["/", "/@ann"])
      expect((await bob.get(path).expect(200)).text).not.toContain(picture);
    await bob.get(picture).expect(404);
    expect(avatarOn((await ann.get("/@ann")).text)).toMatch(/\.svg$/);
    expect(await findKeys(world.ctx.redis, "*:avatar")).toEqual([]);
  });

  it("emptying the field removes the website", async () => {
    await ann.post("/settings/profile", { fullname: "Ann", bio: "", website: "" }).expect(303);
    expect((await bob.get("/@ann")).text).not.toContain("example.org");
  });
});
