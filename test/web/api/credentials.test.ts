import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the account of the token in the API", () => {
  let world: World;
  let name: string;
  let ann: ApiClient;
  let turn = 0;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://site.example" });
  });
  beforeEach(async () => {
    name = `ann${(turn += 1)}`;
    await world.newcomer(name);
    ann = await ApiClient.of(world, name);
  });
  afterAll(() => world.close());

  const verify = "/api/v1/accounts/verify_credentials";
  const update = "/api/v1/accounts/update_credentials";

  it("one's own account shows the fields as typed", async () => {
    const { body } = await ann.get(verify).expect(200);
    expect(body).toMatchObject({
      acct: name,
      display_name: `Test ${name}`,
      url: `https://site.example/@${name}`,
      source: { note: "", fields: [], privacy: "public", follow_requests_count: 0 },
      role: { permissions: "0" },
    });
  });

  it("one's own account requires the scope for accounts or the profile", async () => {
    expect((await new ApiClient(world).get(verify).expect(401)).body).toEqual({
      error: "This method requires an authenticated user",
    });
    await (await ApiClient.app(world)).get(verify).expect(401);
    await (await ApiClient.of(world, name, "read:statuses write")).get(verify).expect(403);
    await (await ApiClient.of(world, name, "profile")).get(verify).expect(200);
    await (await ApiClient.of(world, name, "read")).send("patch", update).expect(403);
    await new ApiClient(world).send("patch", update).expect(401);
  });

  it("a JSON update changes the given fields only", async () => {
    const fields = { fields_attributes: [{ name: "Web", value: "example.org/ann" }] };
    const input = { display_name: "Ann", note: "I <sing>", locked: false, bot: "false", ...fields };
    const { body } = await ann.send("patch", update).send(input).expect(200);
    expect(body).toMatchObject({
      display_name: "Ann",
      note: "<p>I &lt;sing&gt;</p>",
      locked: false,
      source: { note: "I <sing>", fields: [{ value: "https://example.org/ann" }] },
    });
    const { body: later } = await ann.send("patch", update).send({ note: "" }).expect(200);
    expect(later).toMatchObject({
      display_name: "Ann",
      note: "",
      source: { fields: [{ value: "https://example.org/ann" }] },
    });
    const { body: shown } = await new ApiClient(world).get(`/api/v1/accounts/${later.id}`);
    expect(shown).toMatchObject({ display_name: "Ann", fields: [{ name: "Website" }] });
  });

  it("a form update changes the account; empty fields clear the website", async () => {
    const form = new URLSearchParams({
      "fields_attributes[0][name]": "",
      "fields_attributes[0][value]": "",
      "fields_attributes[1][name]": "Home",
      "fields_attributes[1][value]": "https://example.org/",
      discoverable: "1",
      locked: "false",
      bot: "0",
    });
    const { body } = await ann.send("patch", update).type("form").send(form.toString()).expect(200);
    expect(body.source.fields).toMatchObject([{ value: "https://example.org/" }]);
    for (const label of ["", "Website"]) {
      const empty = { fields_attributes: { 0: { name: label, value: "" } } };
      const { body: without } = await ann.send("patch", update).send(empty).expect(200);
      expect(without.source.fields).toEqual([]);
      await ann.send("patch", update).type("form").send(form.toString()).expect(200);
    }
  });

  it("an account is protected and opened, and the default of new tweets follows", async () => {
    const shown = async () => {
      const { body } = await ann.get("/api/v1/preferences").expect(200);
      return body["posting:default:visibility"] as string;
    };
    expect(await shown()).toBe("public");
    const { body } = await ann.send("patch", update).send({ locked: true }).expect(200);
    expect(body).toMatchObject({ locked: true, source: { privacy: "private" } });
    expect(await shown()).toBe("private");
    const input = { locked: "false", source: { privacy: "unlisted" } };
    const { body: opened } = await ann.send("patch", update).send(input).expect(200);
    expect(opened).toMatchObject({ locked: false, source: { privacy: "unlisted" } });
    expect(await shown()).toBe("unlisted");
    await ann
      .send("patch", update)
      .send({ source: { privacy: "direct" } })
      .expect(422);
  });

  it("what a profile cannot be is refused with a sentence, and nothing is changed", async () => {
    const [avatar, header] = ["data:image/png;base64,iVBORw0KGgo=", { file: "me.png" }];
    const noPicture = "This file is not a JPEG, PNG, WebP, AVIF or GIF picture.";
    const refused: [object, string, string][] = [
      [{ avatar }, "avatar", noPicture],
      [{ header }, "header", noPicture],
      [{ bot: true }, "bot", "Accounts of bots are not marked here."],
      ...[
        [{ name: "Pronouns", value: "they" }],
        [{ name: "Pronouns", value: "" }],
        [
          { name: "Web", value: "https://example.org" },
          { name: "Blog", value: "https://example.com" },
        ],
      ].map((fields): [object, string, string] => [
        { fields_attributes: fields },
        "fields_attributes",
        "A profile has one field here: the address of a website.",
      ]),
    ];
    for (const [input, field, sentence] of refused) {
      const { body } = await ann
        .send("patch", update)
        .send({ ...input, note: "new" })
        .expect(422);
      expect(body).toMatchObject({
        error: `Validation failed: ${sentence}`,
        details: { [field]: [{ description: sentence }] },
      });
    }
    const { body } = await ann.get("/api/v1/accounts/verify_credentials").expect(200);
    expect(body.note).not.toContain("new");
    const { body: kept } = await ann.send("patch", update).send({ avatar: "", header: null });
    expect(kept).toMatchObject({ avatar: body.avatar, header: body.header });
  });

  it("the avatar is uploaded as multipart, and removed", async () => {
    const before = (await ann.get(verify)).body.avatar as string;
    const { body } = await ann
      .send("patch", update)
      .field("display_name", "Pictured")
      .attach("avatar", await picture("png"), "me.png")
      .expect(200);
    expect(body.display_name).toBe("Pictured");
    expect(body.avatar).not.toBe(before);
    await new ApiClient(world).get(new URL(body.avatar as string).pathname).expect(200);
    const { body: without } = await ann.delete("/api/v1/profile/avatar").expect(200);
    expect(without.avatar).not.toBe(body.avatar);
  });

  it("a refused update changes nothing", async () => {
    const before = (await ann.get(verify)).body as object;
    const { body } = await ann
      .send("patch", update)
      .field("note", "x".repeat(161))
      .attach("avatar", await picture("png"), "me.png")
      .expect(422);
    expect(body).toEqual({
      error: "Validation failed: Bios can have at most 160 characters.",
      details: {
        note: [{ error: "ERR_TOO_LONG", description: "Bios can have at most 160 characters." }],
      },
    });
    await ann
      .send("patch", update)
      .field("display_name", "Other")
      .attach("avatar", Buffer.from("no picture"), "me.png")
      .expect(422);
    await ann
      .send("patch", update)
      .attach("avatar", await picture("png"), "me.png")
      .attach("header", Buffer.from("no picture"), "wide.png")
      .expect(422);
    for (const input of [
      { display_name: "" },
      { display_name: ["a"] },
      { note: { a: 1 } },
      { fields_attributes: "x" },
      { fields_attributes: [1] },
    ])
      await ann.send("patch", update).send(input).expect(422);
    expect((await ann.get(verify)).body).toEqual(before);
  });

  it("preferences are the same for all users", async () => {
    const { body } = await ann.get("/api/v1/preferences").expect(200);
    expect(body).toMatchObject({ "posting:default:visibility": "public" });
    await new ApiClient(world).get("/api/v1/preferences").expect(401);
    await (await ApiClient.of(world, name, "write")).get("/api/v1/preferences").expect(403);
  });
});
