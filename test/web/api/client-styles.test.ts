import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { password, Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const opener = "cross-origin-opener-policy";

/** Requests that an app has left. */
async function leftTo(client: ApiClient): Promise<number> {
  const { headers } = await client.get("/api/v1/markers").expect(200);
  return Number(headers["x-ratelimit-remaining"]);
}

describe("clients of every style", () => {
  let world: World;
  let app: TestApp;
  let ann: ApiClient;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    app = await TestApp.register(world);
    await world.newcomer("ann");
    ann = await ApiClient.of(world, "ann");
  });
  afterAll(() => world.close());

  it("a window that an app opened stays connected to it all the way through log-in", async () => {
    const stranger = new Visitor(world.app);
    const asked = await stranger.get(app.address()).expect(303);
    const logIn = await stranger.get(String(asked.headers["location"])).expect(200);
    const fields = { name: "ann", password, next: app.address() };
    const done = await stranger.post("/login", fields).expect(303);
    const consent = await stranger.get(String(done.headers["location"])).expect(200);
    for (const { headers } of [asked, logIn, done, consent])
      expect(headers[opener]).toBeUndefined();
    const signUp = await new Visitor(world.app).get(
      `/signup?next=${encodeURIComponent(app.address())}`,
    );
    expect(signUp.headers[opener]).toBeUndefined();
  });

  it("a window is cut off from its opener on every other page", async () => {
    for (const path of ["/login", "/login?next=/oauth", "/login?next=/settings", "/", "/@ann"]) {
      const { headers } = await request(world.app).get(path);
      expect([path, headers[opener]]).toEqual([path, "same-origin"]);
    }
  });

  it("what needs no token answers with a bad token too, and anything else refuses it", async () => {
    const stale = new ApiClient(world, `1.${"x".repeat(43)}`);
    for (const path of ["/api/v1/instance", "/api/v2/instance", "/api/v1/custom_emojis"])
      await stale.get(path).expect(200);
    const about = { client_name: "Birdwatch", redirect_uris: "urn:ietf:wg:oauth:2.0:oob" };
    await stale.post("/api/v1/apps", about).expect(200);
    for (const path of ["/api/v1/timelines/public", "/api/v1/timelines/home"])
      await stale.get(path).expect(401);
  });

  it("the fields of a form may come in the query", async () => {
    const status = new URLSearchParams({ status: "sent in the query" });
    const { body } = await ann.send("post", `/api/v1/statuses?${String(status)}`).expect(200);
    expect(body.content).toBe("<p>sent in the query</p>");
    const about = new URLSearchParams({ client_name: "Q", redirect_uris: app.redirectUri });
    await new ApiClient(world).send("post", `/api/v1/apps?${String(about)}`).expect(200);
    const grant = new URLSearchParams({ client_id: app.client, client_secret: app.secret });
    grant.set("grant_type", "client_credentials");
    await new ApiClient(world).send("post", `/oauth/token?${String(grant)}`).expect(400);
    // What is in both counts as the body has it.
    const both = await ann.post("/api/v1/statuses?status=query", { status: "body" }).expect(200);
    expect(both.body.content).toBe("<p>body</p>");
  });

  it("a refused field has the name by which the app sent it", async () => {
    const { body } = await ann.post("/api/v1/statuses", { status: "x".repeat(281) }).expect(422);
    expect(Object.keys(body.details as object)).toEqual(["status"]);
  });

  it("ids and bounds may be kept as 64-bit numbers", async () => {
    const { body } = await ann.post("/api/v1/statuses", { status: "a number" }).expect(200);
    const kept = BigInt.asIntN(64, BigInt(body.id as string));
    const { body: found } = await ann.get(`/api/v1/statuses/${kept}`).expect(200);
    expect(found.id).toBe(body.id);
    const { headers } = await ann.get("/api/v1/timelines/home?limit=1").expect(200);
    const [bound = ""] = /(?<=max_id=)\d+/.exec(String(headers["link"])) ?? [];
    expect(BigInt.asIntN(64, BigInt(bound))).toBe(BigInt(bound));
  });

  it("the text of a link holds the whole address, and hides its ends by classes", async () => {
    const address = "https://www.example.com/a/very/long/path/that/nobody/reads?to=the&end";
    const { body } = await ann.post("/api/v1/statuses", { status: address }).expect(200);
    const content = String(body.content);
    expect(content).toContain('<span class="invisible">https://www.</span>');
    expect(content).toContain('<span class="ellipsis">example.com/a/very/long/path/t</span>');
    expect(content.replaceAll(/<[^>]*>/g, "").replaceAll("&amp;", "&")).toBe(address);
    const short = await ann.post("/api/v1/statuses", { status: "see http://a.example/b" });
    expect(String(short.body.content)).not.toContain("ellipsis");
  });

  it("a browser may send any header that it asks for", async () => {
    const { headers } = await request(world.app)
      .options("/api/v1/statuses")
      .set("Origin", "https://app.example")
      .set("Access-Control-Request-Method", "POST")
      .set("Access-Control-Request-Headers", "x-own,authorization")
      .expect(204);
    expect(headers["access-control-allow-headers"]).toBe("x-own,authorization");
    expect(headers["vary"]).toContain("Access-Control-Request-Headers");
  });

  it("host-meta leads to webfinger, and userinfo names the user", async () => {
    const meta = await request(world.app).get("/.well-known/host-meta").expect(200);
    expect(meta.headers["content-type"]).toContain("application/xrd+xml");
    const [, template = ""] = /template="([^"]+)"/.exec(meta.text) ?? [];
    const { host } = new URL(template);
    const path = new URL(template.replace("{uri}", `acct:ann@${host}`));
    await request(world.app)
      .get(path.pathname + path.search)
      .set("Host", host)
      .expect(200);

    const profile = await ApiClient.of(world, "ann", "profile");
    const { body } = await profile.get("/oauth/userinfo").expect(200);
    expect(body).toMatchObject({ preferred_username: "ann", name: "Test ann" });
    expect(body.sub).toMatch(/\/@ann$/);
    await (await ApiClient.of(world, "ann", "write")).get("/oauth/userinfo").expect(403);
    await new ApiClient(world).get("/oauth/userinfo").expect(401);
  });

  it("each app of a user has requests of its own", async () => {
    const other = await app.tokenFrom(await visitor());
    for (let count = 0; count < 3; count += 1) await ann.get("/api/v1/markers").expect(200);
    const [ofAnn, ofOther] = [await leftTo(ann), await leftTo(new ApiClient(world, other))];
    expect(ofOther - ofAnn).toBeGreaterThanOrEqual(3);
  });

  async function visitor(): Promise<Visitor> {
    const one = new Visitor(world.app);
    await one.logIn("ann");
    return one;
  }
});
