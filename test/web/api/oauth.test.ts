import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestApp } from "../../support/actors/test-app.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("tokens", () => {
  let world: World;
  let app: TestApp;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    app = await TestApp.register(world);
    person = await world.newcomer("person");
  });
  afterAll(() => world.close());

  const ask = () => request(world.app).post("/oauth/token");

  it("a token answer looks like Mastodon's, and is not cached", async () => {
    const answer = await app.exchange(await app.codeFrom(person));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      scope: "read write",
      created_at: expect.any(Number),
    });
    const { created_at: createdAt } = answer.body as { created_at: number };
    expect(Math.abs(createdAt - Date.now() / 1000)).toBeLessThan(60);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  it("a token is requested by JSON, form or multipart, with the secret in a header", async () => {
    const fields = { grant_type: "client_credentials", scope: "read" };
    const own = { client_id: app.client, client_secret: app.secret };
    const parts = ask();
    for (const [name, value] of Object.entries({ ...fields, ...own }))
      void parts.field(name, value);
    for (const asked of [
      ask().send({ ...fields, ...own }),
      ask()
        .type("form")
        .send({ ...fields, ...own }),
      parts,
      ask().type("form").auth(app.client, app.secret).send(fields),
    ]) {
      const { body, status } = await asked;
      expect([status, body]).toMatchObject([200, { scope: "read" }]);
      expect(await app.statusWith((body as { access_token: string }).access_token)).toBe(200);
    }
  });

  it.each<[string, Record<string, string>, number, string]>([
    ["no grant type", { grant_type: "" }, 400, "unsupported_grant_type"],
    ["a password", { grant_type: "password" }, 400, "unsupported_grant_type"],
    ["a refresh token", { grant_type: "refresh_token" }, 400, "unsupported_grant_type"],
    ["no code", {}, 400, "invalid_grant"],
    ["an unknown code", { code: "1.x" }, 400, "invalid_grant"],
    ["another secret", { client_secret: "x" }, 401, "invalid_client"],
    ["no secret", { client_secret: "" }, 401, "invalid_client"],
    ["another app", { client_id: "x".repeat(32) }, 401, "invalid_client"],
    ["no app", { client_id: "__proto__" }, 401, "invalid_client"],
    ["too much", { grant_type: "client_credentials", scope: "read push" }, 400, "invalid_scope"],
  ])("a token request is refused for %s, in OAuth's words", async (_, about, status, error) => {
    const fields = { grant_type: "authorization_code", ...about };
    const answer = await app.post("/oauth/token", fields);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
    expect(answer.headers["www-authenticate"] !== undefined).toBe(status === 401);
  });

  it("a token request with a repeated field is refused", async () => {
    const body = `grant_type=client_credentials&client_id=${app.client}&client_secret=${app.secret}&client_secret=x`;
    const answer = await request(world.app).post("/oauth/token").type("form").send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: "invalid_request" }]);
  });

  it("a token is revoked by its own app only", async () => {
    const token = await app.tokenFrom(person);
    const other = await TestApp.register(world);
    const refused = await other.revoke(token);
    expect([refused.status, refused.body]).toMatchObject([403, { error: "unauthorized_client" }]);
    const unproven = await app.post("/oauth/revoke", { token, client_secret: "x" });
    expect([unproven.status, unproven.body]).toMatchObject([401, { error: "invalid_client" }]);
    expect(await app.statusWith(token)).toBe(200);
    for (let time = 1; time <= 2; time += 1) {
      const { body, status } = await app.revoke(token);
      expect([status, body]).toEqual([200, {}]);
      expect(await app.statusWith(token)).toBe(401);
    }
    expect((await app.revoke("no token at all")).status).toBe(200);
    expect((await app.post("/oauth/revoke", {})).status).toBe(400);
  });

  it("OAuth metadata is at the standard URL", async () => {
    const { body, headers } = await request(world.app)
      .get("/.well-known/oauth-authorization-server")
      .expect(200);
    const told = body as Record<string, string & string[]>;
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(told).toMatchObject({
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "client_credentials"],
      code_challenge_methods_supported: ["S256"],
    });
    expect(told["scopes_supported"]).toEqual(expect.arrayContaining(["read", "write:statuses"]));
    for (const name of ["authorization", "token", "revocation", "app_registration"])
      expect(told[`${name}_endpoint`]?.startsWith(String(told["issuer"]))).toBe(true);
  });
});
