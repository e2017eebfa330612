import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestApp } from "../../support/actors/test-app.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const about = { client_name: "Birdwatch", redirect_uris: "https://app.example/callback" };

describe("the registration of apps", () => {
  let world: World;
  let address = 0;
  beforeAll(async () => {
    world = await createWorld({ trustProxy: 1, limitFactor: 1 }, { workers: false });
  });
  afterAll(() => world.close());

  /** From an address of its own each time. */
  const register = () =>
    request(world.app)
      .post("/api/v1/apps")
      .set("X-Forwarded-For", `198.51.100.${(address += 1)}`);

  it("registering an app answers with all fields of Mastodon's answer", async () => {
    const fields = { ...about, scopes: "write read", website: "https://app.example/" };
    const { body } = await register().send(fields).expect(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: "Birdwatch",
      website: "https://app.example/",
      scopes: ["read", "write"],
      redirect_uri: "https://app.example/callback",
      redirect_uris: ["https://app.example/callback"],
      client_id: expect.stringMatching(/^[\w-]{32}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_secret_expires_at: 0,
      vapid_key: expect.stringMatching(/^[\w-]{87}$/) as string,
    });
  });

  it("registering an app takes JSON, forms and multipart, and redirect URIs as a list or a string", async () => {
    const uris = ["https://app.example/a", "app://b"];
    const form = `client_name=X&redirect_uris[]=${uris.join("&redirect_uris[]=")}`;
    for (const asked of [
      register().send({ ...about, redirect_uris: uris }),
      register().send({ ...about, redirect_uris: uris.join("\n") }),
      register().send({ ...about, redirect_uris: ` ${uris.join("  ")} `, website: null }),
      register().type("form").send(form),
      register()
        .type("form")
        .send({ ...about, redirect_uris: uris.join("\r\n"), website: "" }),
      register().field("client_name", "X").field("redirect_uris", uris.join(" ")),
    ]) {
      const { body, status } = await asked;
      expect([status, body]).toMatchObject([
        200,
        { redirect_uris: uris, redirect_uri: uris.join("\n"), scopes: ["read"], website: null },
      ]);
    }
  });

  it("a refused registration of an app says in a sentence what is wrong", async () => {
    for (const [fields, sentence] of [
      [{}, /client_name is missing.*redirect_uris/],
      [{ ...about, client_name: ["a"] }, /client_name could not be understood/],
      [{ ...about, client_name: "" }, /An app needs a name/],
      [{ ...about, redirect_uris: "javascript:alert(1)" }, /redirect URI/],
      [{ ...about, redirect_uris: [{ a: 1 }] }, /redirect_uris/],
      [{ ...about, scopes: "everything" }, /no such scope/],
      [{ ...about, website: "javascript:alert(1)" }, /website/],
    ] as const) {
      const { body, status } = await register().send(fields);
      expect([status, body.error]).toEqual([422, expect.stringMatching(sentence)]);
    }
  });

  it("an address can register two hundred apps an hour", async () => {
    const again = () =>
      request(world.app).post("/api/v1/apps").set("X-Forwarded-For", "203.0.113.9").send(about);
    for (let time = 1; time <= 200; time += 1) await again().expect(200);
    const { body, headers } = await again().expect(429);
    expect(body.error).toContain("Try again in 60 minutes.");
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    await register().send(about).expect(200);
  });

  it("an app's data is read with its own token or a user's, without the secret", async () => {
    const app = await TestApp.register(world);
    const person = await world.newcomer("person");
    const answer = await app.post("/oauth/token", { grant_type: "client_credentials" });
    const { access_token: own } = answer.body as { access_token: string };
    for (const token of [own, await app.tokenFrom(person)]) {
      const { body } = await request(world.app)
        .get("/api/v1/apps/verify_credentials")
        .set("Authorization", `Bearer ${token}`)
        .expect(200);
      expect(body).toEqual({
        id: expect.any(String),
        name: "Birdwatch",
        website: "https://app.example/",
        scopes: ["read", "write", "follow"],
        redirect_uri: app.redirectUri,
        redirect_uris: [app.redirectUri],
        vapid_key: expect.stringMatching(/^[\w-]{87}$/) as string,
      });
    }
  });
});
