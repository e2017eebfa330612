import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestApp } from "../../../support/actors/test-app.ts";
import { expectSecureHeaders } from "../../../support/inspect/secure-headers.ts";
import { hiddenFields } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

describe("the authorization page", () => {
  let world: World;
  let app: TestApp;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    app = await TestApp.register(world);
    person = await world.newcomer("person");
  });
  afterAll(() => world.close());

  it("the authorization page names the app, its website, its rights and the user", async () => {
    const { text, headers } = await person.get(app.address({ scope: "read follow" })).expect(200);
    const words = asText(text);
    for (const part of [
      "Birdwatch",
      "app.example",
      "@person",
      "See everything you can see",
      "See and change the people you follow",
      "Authorize",
      "Deny",
      "Log in with another account",
    ])
      expect(words).toContain(part);
    expect(words).not.toContain("Do everything you can do");
    expect(text).toContain('href="https://app.example/" rel="nofollow noopener"');
    expect(headers["cache-control"]).toBe("no-store");
    await person.get(app.address().replace("/authorize?", "/authorize/?")).expect(200);
  });

  it("the authorization page cannot be framed, and its form leads only here and to the app", async () => {
    const policyFor = async (redirectUri: string) => {
      const one = await TestApp.register(world, { redirect_uris: redirectUri });
      const { headers } = await person.get(one.address()).expect(200);
      expect(headers["x-frame-options"]).toBe("DENY");
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("frame-ancestors 'none'");
      return /form-action ([^;]*)/.exec(policy)?.[1];
    };
    expect(await policyFor("https://app.example/a?b=c")).toBe("'self' https://app.example");
    expect(await policyFor("http://127.0.0.1:8080/;script-src%20*")).toBe(
      "'self' http://127.0.0.1:8080",
    );
    expect(await policyFor("http://[::1]:8080/")).toBe("'self' http:");
    expect(await policyFor("com.app.bird:/back;script-src")).toBe("'self' com.app.bird:");
    expectSecureHeaders(await person.get("/settings/apps"));
  });

  it("every link to the sign-up keeps the way back to the app, and the app its window", async () => {
    const stranger = world.visitor();
    const asked = await stranger.get(app.address()).expect(303);
    const { text } = await stranger.get(asked.headers["location"] as string).expect(200);
    const links = [...text.matchAll(/href="(\/signup[^"]*)"/g)].map(([, href]) => href ?? "");
    expect(links).toHaveLength(2);
    for (const link of links) {
      const { headers, text: form } = await stranger.get(link).expect(200);
      expect(headers).not.toHaveProperty("cross-origin-opener-policy");
      expect(hiddenFields(form, "/signup")["next"]).toBe(app.address());
    }
  });

  it("the authorization page leads over the log-in page and back, with all parameters", async () => {
    const visitor = world.visitor();
    const { headers } = await visitor.get(app.address()).expect(303);
    const login = String(headers["location"]);
    expect(login).toMatch(/^\/login\?/);
    const { text } = await visitor.get(login).expect(200);
    const fields = { ...hiddenFields(text, "/login"), name: "person", password };
    const back = await visitor.post("/login", fields).expect(303);
    const there = new URL(String(back.headers["location"]), "http://here.invalid");
    const asked = new URL(app.address(), "http://here.invalid");
    expect(there.pathname).toBe("/oauth/authorize");
    expect(Object.fromEntries(there.searchParams)).toEqual(Object.fromEntries(asked.searchParams));
    await visitor.get(there.pathname + there.search).expect(200);
  });

  it("the authorization page asks to log in again if the app wants that, also as another user", async () => {
    const visitor = await world.newcomer("first");
    await world.newcomer("second");
    const { headers } = await visitor.get(app.address({ force_login: "true" })).expect(303);
    const { text } = await visitor.get(String(headers["location"])).expect(200);
    expect(asText(text)).toContain("Password");
    // Looking has changed nothing.
    await visitor.get("/settings/profile").expect(200);
    const fields = { ...hiddenFields(text, "/login"), name: "second", password };
    const back = await visitor.post("/login", fields).expect(303);
    const page = await visitor.get(String(back.headers["location"])).expect(200);
    expect(asText(page.text)).toContain("@second");
  });

  it("the authorization page returns code and state to the app unchanged", async () => {
    const uri = "https://app.example/a/../b?x=1&y=%20";
    const one = await TestApp.register(world, { redirect_uris: uri });
    const { text } = await person.get(one.address()).expect(200);
    const fields = { ...hiddenFields(text, "/oauth/authorize"), decision: "allow" };
    const { headers } = await person.post("/oauth/authorize", fields).expect(303);
    const location = String(headers["location"]);
    expect(location).toMatch(
      /^https:\/\/app\.example\/a\/\.\.\/b\?x=1&y=%20&code=\d+\.[\w-]{43}&state=/,
    );
    expect(new URL(location).searchParams.get("state")).toBe("a state & more");
    const custom = await TestApp.register(world, { redirect_uris: "com.bird.app://callback" });
    expect((await custom.decide(person, "allow")).href).toMatch(
      /^com\.bird\.app:\/\/callback\?code=/,
    );
  });

  it("the authorization page shows the code where no address can take it", async () => {
    const one = await TestApp.register(world, { redirect_uris: outOfBand });
    const { text } = await person.get(one.address()).expect(200);
    const fields = hiddenFields(text, "/oauth/authorize");
    const denied = await person
      .post("/oauth/authorize", { ...fields, decision: "deny" })
      .expect(200);
    expect(asText(denied.text)).toContain("was not authorized");
    const shown = await person
      .post("/oauth/authorize", { ...fields, decision: "allow" })
      .expect(200);
    const code = /<code class="oauth-code">([^<]+)</.exec(shown.text)?.[1] ?? "";
    const { body, status } = await one.exchange(code);
    expect([status, body]).toMatchObject([200, { token_type: "Bearer" }]);
  });

  it("a refusal is reported to the app, and gives nothing", async () => {
    const { searchParams } = await app.decide(person, "deny");
    expect(Object.fromEntries(searchParams)).toEqual({
      error: "access_denied",
      state: "a state & more",
    });
  });

  it("the authorization page shows hostile names as text", async () => {
    const evil = `<script>alert(1)</script>"'><img src=x>`;
    const one = await TestApp.register(world, {
      client_name: evil,
      website: `https://a.example/"><b>`,
    });
    const address = one.address({ state: evil });
    const page = await person.get(address).expect(200);
    expect(page.text).not.toMatch(/<script>alert|<img src=x|"><b>/);
    expect(hiddenFields(page.text, "/oauth/authorize")["state"]).toBe(evil);
    await one.tokenFrom(person);
    const list = await person.get("/settings/apps").expect(200);
    expect(list.text).not.toMatch(/<script>alert|<img src=x|"><b>/);
    expect(list.text).toContain("&lt;script&gt;alert(1)");
  });
});
