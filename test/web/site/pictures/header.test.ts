import request from "supertest";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eraseAccount } from "../../../../src/domain/accounts/erase.ts";
import { reconcileHeader } from "../../../../src/domain/pictures/header.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { ApiClient } from "../../../support/actors/api-client.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { photo, picture, pngBomb } from "../../../support/data/pictures.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { runDoctor } from "../../../support/world/doctor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { storedFiles } from "../../../support/inspect/stored-files.ts";

/** Addresses of a header picture, small and large. */
const headerOn = (html: string) =>
  /<img class="profile-header"[^>]* srcset="(\S+) 720w, (\S+) 1440w"/.exec(html)?.slice(1) ?? [];

describe("header pictures", () => {
  let world: World;
  let ann: Visitor;
  let boss: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    ann = await world.newcomer("ann");
    boss = await world.newcomer("boss");
  });
  afterAll(() => world.close());

  const send = (bytes: Buffer) =>
    ann.agent.post("/settings/header").attach("header", bytes, "a.jpg");
  const shown = async (name = "ann", by = boss) =>
    headerOn((await by.get(`/@${name}`).expect(200)).text);
  const files = async () =>
    (await storedFiles(world.ctx)).map((name) => `/pictures/${name}`).toSorted();

  it("a header picture is shown on the profile in two sizes, without metadata and without moving the page", async () => {
    expect(await shown()).toEqual([]);
    await send(await photo())
      .expect(303)
      .expect("Location", "/settings/profile?saved");
    const { text } = await boss.get("/@ann").expect(200);
    expect(text).toMatch(/<img class="profile-header"[^>]* width="1440" height="480" alt=""/);
    expect(headerOn((await ann.get("/settings/profile")).text)).toEqual(headerOn(text));
    const sizes: unknown[] = [];
    for (const address of headerOn(text)) {
      const { body } = await request(world.app).get(address).buffer(true).expect(200);
      const { format, width, height, exif, xmp } = await sharp(body as Buffer).metadata();
      sizes.push([format, width, height, exif, xmp]);
    }
    const none = [undefined, undefined];
    expect(sizes).toEqual([
      ["webp", 720, 240, ...none],
      ["webp", 1440, 480, ...none],
    ]);
  });

  it("another header picture takes its place, and the files of the old one go", async () => {
    const before = await shown();
    await send(await picture("png", { width: 900, height: 900 })).expect(303);
    const after = await shown();
    expect(after).not.toEqual(before);
    expect(await files()).toEqual(after.toSorted());
  });

  it("a file that is no picture, is damaged or has too many pixels is refused beside its field", async () => {
    const before = await shown();
    const broken = (await picture("jpeg")).subarray(0, 400);
    for (const bytes of [Buffer.from("<svg/>"), broken, pngBomb(40_000, 40_000)]) {
      const { text } = await send(bytes).expect(422);
      expect(text).toContain('id="header-error"');
      expect(alertsOn(text)).toHaveLength(1);
    }
    expect(await shown()).toEqual(before);
    expect(await files()).toEqual(before.toSorted());
  });

  it("a crash between the files and the profile leaves nothing for good", async () => {
    const { id: user } = await getUserByName(world.ctx, "ann");
    const before = await shown();
    const lost = `${"0".repeat(24)}-${"1".repeat(16)}-${"2".repeat(16)}`;
    const name = `${user}-${"0".repeat(24)}-${"1".repeat(16)}.webp`;
    await world.ctx.storage?.put(name, Buffer.from("x"), "image/webp");
    await reconcileHeader(world.ctx, { user, header: lost });
    expect(await files()).toEqual(before.toSorted());
    const own = (await world.ctx.redis.hget(keys.user(user), "header")) ?? "";
    await reconcileHeader(world.ctx, { user, header: own });
    expect(await files()).toEqual(before.toSorted());
  });

  it("a suspended user's header is not found, and a user who is blocked does not see it", async () => {
    const [small = ""] = await shown();
    const { id } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(id), "suspended_at", "1");
    await request(world.app).get(small).expect(404);
    await world.ctx.redis.hdel(keys.user(id), "suspended_at");
    await request(world.app).get(small).expect(200);
    const eve = await world.newcomer("eve");
    await ann.post("/@eve/block").expect(303);
    expect(await shown("ann", eve)).toEqual([]);
  });

  it("the doctor knows the files of a header, and misses a lost one", async () => {
    world.pass(3 * 24 * 60 * 60 * 1000);
    expect((await runDoctor(world)).counts).not.toHaveProperty("picture-stray");
    const [small = ""] = await shown();
    const name = small.slice("/pictures/".length);
    await world.ctx.storage?.remove(name);
    expect((await runDoctor(world)).counts).toMatchObject({ "header-missing": 1 });
  });

  it("moderators see a reported user's pictures under a cover, and can remove the header", async () => {
    await send(await photo()).expect(303);
    const [small = ""] = await shown();
    await boss.post("/@ann/report", { reason: "abuse", comment: "" }).expect(303);
    const { text: page } = await boss.get("/admin/reports").expect(200);
    expect(page).toMatch(/<details class="picture-cover">.*<img class="profile-header"/s);
    const fields = { ...hiddenFields(page, "/admin/reports"), note: "why", verb: "header" };
    await boss.post("/admin/reports", fields).expect(303);
    expect(await shown()).toEqual([]);
    await request(world.app).get(small).expect(404);
    expect(await files()).toEqual([]);
    const log = (await boss.get("/admin/audit").expect(200)).text.replaceAll(/<[^>]*>/g, "");
    expect(log).toContain("@boss removed the header picture of @ann");
  });

  it("apps change avatar and header in one request, read the header and remove it", async () => {
    const client = await ApiClient.of(world, "ann");
    const update = "/api/v1/accounts/update_credentials";
    const { body } = await client
      .send("patch", update)
      .attach("avatar", await photo(), "a.jpg")
      .attach("header", await photo(), "b.jpg")
      .expect(200);
    const [, large] = await shown();
    const { header, header_static, avatar } = body as Record<string, string>;
    expect([header, header_static]).toEqual(Array(2).fill(expect.stringContaining(`${large}`)));
    expect(avatar).toMatch(/\.webp$/);
    const refused = await client
      .send("patch", update)
      .attach("header", Buffer.from("no"), "b.jpg")
      .expect(422);
    expect(refused.body).toMatchObject({ error: expect.stringMatching(/picture/) as unknown });
    const gone = await client.delete("/api/v1/profile/header").expect(200);
    expect(gone.body).toMatchObject({
      header: expect.stringContaining("missing.png") as unknown,
    });
    expect(await files()).toEqual([]);
  });

  it("a header picture goes with its button, and with its account", async () => {
    await send(await photo()).expect(303);
    await ann.post("/settings/header/remove").expect(303);
    expect([await shown(), await files()]).toEqual([[], []]);
    await send(await photo()).expect(303);
    const { id: user } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(user), "deleted_at", "1");
    await eraseAccount(world.ctx, { user, pass: "first" });
    expect(await files()).toEqual([]);
  });
});

it("a site without storage says so, and has no form for a header", async () => {
  const world = await createWorld({ losesFiles: true }, { workers: false });
  const { text } = await (await world.newcomer("ann")).get("/settings/profile").expect(200);
  expect(text).toContain("no storage for pictures");
  expect(text).not.toContain('action="/settings/header"');
  await world.close();
});
