import express, { type Express } from "express";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesIn } from "../../../src/web/request/uploads.ts";
import { bearer } from "../../../src/web/api/bearer.ts";
import { apiBodies } from "../../../src/web/api/bodies.ts";
import { readLanguages } from "../../../src/web/languages/translator.ts";
import { answerErrors } from "../../../src/web/request/errors.ts";
import { outagePagesOf } from "../../../src/web/server/error-503.ts";
import { language } from "../../../src/web/request/reader.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { expectSecureHeaders } from "../../support/inspect/secure-headers.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const door = "/api/v1/apps/verify_credentials";

describe("the API", () => {
  let world: World;
  let person: Visitor;
  let app: TestApp;
  beforeAll(async () => {
    world = await createWorld(
      { trustProxy: 1, limits: { "reads:account": 50, "reads:address": 50 } },
      { workers: false },
    );
    person = await world.newcomer("person");
    app = await TestApp.register(world);
  });
  afterAll(() => world.close());

  it("every API error is JSON with the site's security headers", async () => {
    for (const [path, status] of [
      ["/api", 404],
      ["/api/v1/nowhere", 404],
      ["/API/v1/nowhere", 404],
      [door, 401],
      ["/.well-known/nowhere", 404],
      ["/nodeinfo/9", 404],
      ["/api/%E0%A4%A", 404],
    ] as const) {
      const answer = await request(world.app).get(path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.body).toEqual({ error: expect.any(String) });
      expectSecureHeaders(answer);
    }
    const broken = request(world.app).post("/api/v1/apps").type("json").send('{"client_name":');
    expect((await broken.expect(400)).body).toEqual({ error: expect.any(String) });
    const large = request(world.app)
      .post("/api/v1/apps")
      .send({ client_name: "x".repeat(103_000) });
    expect((await large.expect(413)).body).toEqual({ error: "The request is too large" });
  });

  it("apps in browsers may call the API from any site, without cookies", async () => {
    for (const path of [
      door,
      "/oauth/token",
      "/oauth/revoke",
      "/.well-known/nodeinfo",
      "/nodeinfo/2.0",
    ]) {
      const { headers } = await request(world.app)
        .options(path)
        .set("Origin", "https://app.example")
        .set("Access-Control-Request-Method", "POST")
        .set("Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
        .expect(204);
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["access-control-allow-headers"]).toMatch(/authorization.*idempotency-key/);
      expect(headers["access-control-allow-methods"]).toContain("DELETE");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    }
    const { headers } = await request(world.app).get(door).expect(401);
    expect(headers["access-control-allow-origin"]).toBe("*");
    for (const name of ["Link", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"])
      expect(headers["access-control-expose-headers"]).toContain(name);
    for (const path of ["/", "/oauth/authorize", "/settings/apps"]) {
      const page = await request(world.app).get(path).set("Origin", "https://app.example");
      expect(page.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("API requests are counted for each user, and for each address without a user", async () => {
    const token = await app.tokenFrom(person);
    const ask = (from: string, authorization?: string) => {
      const asked = request(world.app).get(door).set("X-Forwarded-For", from);
      return authorization === undefined ? asked : asked.set("Authorization", authorization);
    };
    for (let left = 49; left >= 0; left -= 1) {
      // From wherever they ask.
      const { headers } = await ask(`192.0.2.${left}`, `Bearer ${token}`).expect(200);
      expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual([
        "50",
        String(left),
      ]);
      const reset = Date.parse(String(headers["x-ratelimit-reset"]));
      expect(reset - Date.now()).toBeLessThanOrEqual(301_000);
    }
    const { body, headers } = await ask("192.0.2.1", `Bearer ${token}`).expect(429);
    expect(body.error).toContain("Try again in 5 minutes.");
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(headers["x-ratelimit-remaining"]).toBe("0");
    const other = await app.tokenFrom(await world.newcomer("other"));
    await ask("192.0.2.1", `Bearer ${other}`).expect(200);
    // What guesses tokens is counted by where it is.
    for (let time = 1; time <= 50; time += 1)
      await ask("203.0.113.7", `Bearer 1.${"x".repeat(43)}`).expect(401);
    await ask("203.0.113.7", `Bearer 1.${"x".repeat(43)}`).expect(429);
    await ask("203.0.113.8").expect(401);
  });
});

describe("a body", () => {
  const open = "/api/v1/apps";
  const pictures = "/api/v1/accounts/update_credentials";
  let world: World;
  let doors: Express;
  let token: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    doors = express();
    doors.use(language(readLanguages()));
    doors.use(bearer(world.ctx), apiBodies());
    doors.post([open, pictures], (req, res) => {
      const files = filesIn(req).map(({ fieldname, size }) => [fieldname, size]);
      res.json({ body: req.body as unknown, files });
    });
    doors.use(answerErrors(world.ctx, outagePagesOf(readLanguages(), {})));
    const app = await TestApp.register(world);
    token = await app.tokenFrom(await world.newcomer("person"));
  });
  afterAll(() => world.close());

  const send = (signedIn: boolean) => {
    const sent = request(doors).post(signedIn ? pictures : open);
    return signedIn ? sent.set("Authorization", `Bearer ${token}`) : sent;
  };

  it("an API body may hold one picture, from a signed-in user", async () => {
    const picture = Buffer.alloc(200_000);
    const { body } = await send(true)
      .field("display_name", "Bird")
      .attach("avatar", picture, "bird.png")
      .expect(200);
    expect(body).toEqual({ body: { display_name: "Bird" }, files: [["avatar", 200_000]] });
    const stranger = send(false).field("a", "b").attach("avatar", picture, "bird.png");
    await stranger.expect(413);
    const small = send(false).attach("avatar", Buffer.alloc(10), "bird.png");
    expect((await small.expect(422)).body.error).toContain("avatar");
    const elsewhere = request(doors).post(open).set("Authorization", `Bearer ${token}`);
    await elsewhere.attach("avatar", picture, "bird.png").expect(413);
    const two = send(true).attach("a", picture, "a.png").attach("b", picture, "b.png");
    // An avatar and a header.
    expect((await two.expect(200)).body.files).toEqual([
      ["a", 200_000],
      ["b", 200_000],
    ]);
    for (const name of ["", "none.png"]) {
      const empty = send(false)
        .attach("avatar", Buffer.alloc(0), name)
        .attach("b", Buffer.alloc(0), name);
      expect((await empty.expect(200)).body.files).toEqual([]);
    }
    const beside = send(true).attach("a", Buffer.alloc(0), "a.png").attach("b", picture, "b.png");
    expect((await beside.expect(200)).body.files).toEqual([["b", 200_000]]);
    const five = send(true);
    for (const name of "abcde") void five.attach(name, Buffer.alloc(10), "a.png");
    await five.expect(422);
    const large = send(true).attach("avatar", Buffer.alloc(5_000_001), "bird.png");
    expect((await large.expect(422)).body.error).toContain("5 MB");
  });

  it("a field whose number is beyond any list is refused before the parser walks through it", async () => {
    for (const signedIn of [true, false]) {
      await send(signedIn).field("a[3][b]", "x").expect(200);
      // Ten million take as long as many pages; four thousand million would take minutes.
      const sparse = send(signedIn).field("a[10000000]", "x").field("a[b]", "y");
      await sparse.expect(422);
    }
  });

  it("a multipart body with too many parts, or without an end, is refused", async () => {
    for (const signedIn of [true, false]) {
      const crowd = send(signedIn);
      for (let nth = 0; nth <= 1000; nth += 1) void crowd.field(`f${nth}`, "x");
      await crowd.expect(413);
      const endless = send(signedIn).set("Content-Type", "multipart/form-data; boundary=x");
      await endless.send("--x\r\nContent-Disposition: form").expect(422);
    }
  });
});
