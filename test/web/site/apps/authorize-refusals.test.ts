import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { callback, TestApp } from "../../../support/actors/test-app.ts";
import { hiddenFields } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { runs } from "../../../support/models/property-runs.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

describe("refusals of the authorization page", () => {
  let world: World;
  let app: TestApp;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    app = await TestApp.register(world);
    person = await world.newcomer("person");
  });
  afterAll(() => world.close());

  it.each<[string, Record<string, string>, string]>([
    ["no code", { response_type: "token" }, "unsupported_response_type"],
    ["more than it registered", { scope: "read push" }, "invalid_scope"],
    ["an unknown scope", { scope: "everything" }, "invalid_scope"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without a method", { code_challenge_method: "" }, "invalid_request"],
    ["a method without a challenge", { code_challenge: "" }, "invalid_request"],
    ["a challenge that is none", { code_challenge: "x" }, "invalid_request"],
    ["a long state", { state: "x".repeat(2001) }, "invalid_request"],
  ])(
    "after a press of a button the app is told that it cannot ask for %s",
    async (_, about, error) => {
      for (const visitor of [person, world.visitor()]) {
        const { text } = await visitor.get(app.address(about)).expect(400);
        expect(text).toContain(`href="${callback}?error=${error}`);
      }
      const query = Object.fromEntries(
        new URL(app.address(about), "http://x.invalid").searchParams,
      );
      const { headers } = await person.post("/oauth/authorize", { ...query, decision: "allow" });
      expect(String(headers["location"])).toContain(`error=${error}`);
    },
  );

  it("authorization redirects nowhere before the address is known to be the app's", async () => {
    const other = await TestApp.register(world, { redirect_uris: "https://other.example/" });
    const wrong: Record<string, string>[] = [
      { redirect_uri: "https://evil.example/" },
      { redirect_uri: `${callback}/` },
      { redirect_uri: `${callback}?x=1` },
      { redirect_uri: callback.toUpperCase() },
      { redirect_uri: "http://app.example/callback" },
      { redirect_uri: "" },
      { redirect_uri: other.redirectUri },
      { redirect_uri: outOfBand },
      { redirect_uri: "javascript:alert(1)" },
      { client_id: "x".repeat(32) },
      { client_id: "" },
      { client_id: "__proto__" },
    ];
    for (const about of wrong) {
      const { text, headers } = await person.get(app.address(about)).expect(400);
      expect(asText(text)).toContain("This app cannot be authorized");
      expect(headers["location"]).toBeUndefined();
      const query = Object.fromEntries(
        new URL(app.address(about), "http://x.invalid").searchParams,
      );
      const posted = await person.post("/oauth/authorize", { ...query, decision: "allow" });
      expect([posted.status, posted.headers["location"]]).toEqual([400, undefined]);
    }
    await person.get(`${app.address()}&redirect_uri=https://evil.example/`).expect(400);
  });

  it("authorization redirects no user who only followed a link", async () => {
    for (const visitor of [person, world.visitor()]) {
      const { text, headers } = await visitor.get(`${app.address()}&scope=write`).expect(400);
      expect(headers["location"]).toBeUndefined();
      expect(text).toContain(`href="${callback}?error=invalid_request&amp;state=`);
    }
  });

  it("authorization refuses forms of other sites, of strangers, and without a decision", async () => {
    const { text } = await person.get(app.address()).expect(200);
    const fields = { ...hiddenFields(text, "/oauth/authorize"), decision: "allow" };
    const foreign = person.post("/oauth/authorize", fields).set("Sec-Fetch-Site", "cross-site");
    await foreign.expect(403);
    const stranger = await world.visitor().post("/oauth/authorize", fields).expect(303);
    expect(stranger.headers["location"]).toMatch(/^\/login\?/);
    for (const decision of ["", "maybe"])
      await person.post("/oauth/authorize", { ...fields, decision }).expect(422);
    const { id } = await getUserByName(world.ctx, "person");
    const codes = await world.ctx.redis.hlen(keys.codes(id));
    await person.get(app.address()).expect(200);
    expect(await world.ctx.redis.hlen(keys.codes(id))).toBe(codes);
  });

  it("authorization answers any request of a known app properly", async () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.constantFrom("\0", "\r\nX-Injected: 1", "\uD800", "__proto__", "code", "S256", "read"),
    );
    const name = fc.constantFrom(
      "response_type",
      "scope",
      "state",
      "code_challenge",
      "force_login",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, hostile), async (about) => {
        const { status, headers } = await person.get(app.address(about));
        expect(status).toBeOneOf([200, 303, 400]);
        expect(headers["x-injected"]).toBeUndefined();
        const query = Object.fromEntries(
          new URL(app.address(about), "http://x.invalid").searchParams,
        );
        const posted = await person.post("/oauth/authorize", { ...query, decision: "allow" });
        expect(posted.status).toBe(303);
        const back = new URL(String(posted.headers["location"]));
        expect(back.origin + back.pathname).toBe(callback);
        expect(back.searchParams.get("state")).toBe(query["state"]);
      }),
      runs(50),
    );
  });
});
