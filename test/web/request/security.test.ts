import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../../src/redis/keys.ts";
import { tweetId } from "../../../src/domain/ids.ts";
import { expectSecureHeaders } from "../../support/inspect/secure-headers.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the security headers", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({ trustProxy: 1 }, { workers: false });
    person = await world.newcomer("somebody");
    await world.ctx.redis.set(keys.tweet(tweetId(99)), "what no tweet is");
  });
  afterAll(() => world.close());

  it.each([
    ["a page", "/", 200],
    ["a profile", "/@somebody", 200],
    ["a stylesheet", "/assets/app-ANYHASH0.css", 200],
    ["an icon", "/favicon.svg", 200],
    ["a health check", "/healthz", 200],
    ["a redirect", "/login", 303],
    ["a folder", "/css", 404],
    ["a page that does not exist", "/nowhere", 404],
    ["a path that makes no sense", "/@%E0%A4%A", 400],
    ["a defect", "/tweets/99", 500],
  ])("the security headers are on %s", async (_, path, status) => {
    expectSecureHeaders(await person.get(path).expect(status));
  });

  it("the security headers are on every refusal", async () => {
    const foreign = person.post("/tweets", { text: "x" }).set("Sec-Fetch-Site", "cross-site");
    expectSecureHeaders(await foreign.expect(403));
    expectSecureHeaders(await person.post("/tweets", { text: "x".repeat(103_000) }).expect(413));
    expectSecureHeaders(await person.post("/tweets", { text: "" }).expect(422));
    const wrong = { name: "somebody", password: "wrong" };
    const stranger = world.visitor();
    for (let time = 1; time <= 10; time += 1) await stranger.post("/login", wrong).expect(422);
    expectSecureHeaders(await stranger.post("/login", wrong).expect(429));
  });

  it("headers about documents are sent with documents only: a first visit has a budget", async () => {
    const header = "x-permitted-cross-domain-policies";
    const page = await person.get("/").expect(200);
    expect(page.headers[header]).toBe("none");
    const stylesheet = await person.get("/assets/app-ANYHASH0.css").expect(200);
    expect(stylesheet.headers[header]).toBeUndefined();
  });

  it("browsers are kept on https for a year, on https answers only", async () => {
    for (const path of ["/", "/nowhere", "/assets/app-ANYHASH0.css", "/healthz"]) {
      const onHttps = await request(world.app).get(path).set("X-Forwarded-Proto", "https");
      const said = String(onHttps.headers["strict-transport-security"]);
      expect(Number(/^max-age=(\d+)$/.exec(said)?.[1])).toBeGreaterThanOrEqual(365 * 24 * 60 * 60);
      const onHttp = await request(world.app).get(path);
      expect(onHttp.headers["strict-transport-security"]).toBeUndefined();
    }
  });

  it("HSTS is about the subdomains too only if the operator says so", async () => {
    const strict = await createWorld({ trustProxy: 1, hstsSubdomains: true }, { workers: false });
    const { headers } = await request(strict.app).get("/").set("X-Forwarded-Proto", "https");
    expect(headers["strict-transport-security"]).toMatch(/^max-age=\d+; includeSubDomains$/);
    await strict.close();
  });

  it("a client's claim of https is not trusted", async () => {
    await world.close();
    world = await createWorld({ trustProxy: false }, { workers: false });
    const claimed = await request(world.app).get("/").set("X-Forwarded-Proto", "https");
    expect(claimed.headers["strict-transport-security"]).toBeUndefined();
  });
});
