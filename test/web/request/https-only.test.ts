import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../../support/world/serve.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const base = "https://suzume.example";
const account = { name: "early", fullname: "Early Bird", password: "correct horse 42" };

describe("a site whose address is on https", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ production: true, baseUrl: base, trustProxy: 1 });
  });
  afterAll(() => world.close());

  it("plain http redirects to the same page on https, without a cookie", async () => {
    for (const path of ["/", "/login?next=%2Fsettings", "/@early", "/nowhere", "//evil.example/"]) {
      const { headers } = await request(world.app).get(path).expect(301);
      expect(headers["location"]).toBe(`${base}${path}`);
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("plain http refuses every form with an explanation", async () => {
    for (const path of ["/signup", "/login", "/tweets", "/api/v1/apps", "/oauth/token"]) {
      const { text, headers } = await request(world.app).post(path).type("form").send(account);
      expect([path, text]).toEqual([path, expect.stringContaining("https only")]);
      expect(headers["set-cookie"]).toBeUndefined();
    }
    await request(world.app).post("/signup").type("form").send(account).expect(403);
  });

  it("on https the cookies are bound to the host", async () => {
    const https = { "X-Forwarded-Proto": "https" };
    const signedUp = request(world.app).post("/signup").set(https).type("form").send(account);
    const { headers } = await signedUp.expect(303);
    const cookies = [headers["set-cookie"]].flat();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-suzume.*; Secure/);
    await request(world.app).get("/@early").set(https).expect(200);
  });

  it("health checks are answered on plain http, as platforms bypass the proxy", async () => {
    await request(world.app).get("/healthz").expect(200);
    await request(world.app).get("/readyz").expect(200);
  });

  it("an absolute URL of another site redirects home", async () => {
    const site = await serve(world.app);
    const answer = await site.send({ method: "GET", path: "http://evil.example/x" });
    expect(answer.status).toBe(301);
    expect(answer.headers["location"]).toBe(`${base}/`);
    await site.close();
  });

  it("a missing TRUST_PROXY is reported instead of redirecting forever", async () => {
    const unset = await createWorld({ production: true, baseUrl: base, trustProxy: false });
    const { text } = await request(unset.app)
      .get("/")
      .set("X-Forwarded-Proto", "https")
      .expect(421);
    expect(text).toContain("TRUST_PROXY");
    expect(unset.logged.join()).toContain("TRUST_PROXY");
    await unset.close();
  });
});

describe("a site without BASE_URL", () => {
  it("without BASE_URL the site never trusts X-Forwarded-Host", async () => {
    const world = await createWorld({ trustProxy: 1 });
    const person = await world.newcomer("early");
    await person.tweet("once");
    for (const path of [
      "/@early.rss",
      "/@early.json",
      "/sitemap.xml",
      "/",
      "/@early",
      "/robots.txt",
    ]) {
      const { text } = await request(world.app).get(path).set("X-Forwarded-Host", "evil.example");
      expect([path, text.includes("evil.example")]).toEqual([path, false]);
    }
    await world.close();
  });
});
