import request, { type Response } from "supertest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectSecureHeaders } from "../support/inspect/secure-headers.ts";
import { countKeys } from "../support/world/test-redis.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("floods of passwords", () => {
  let world: World;
  beforeEach(async () => {
    // Half the real cost: about 95 ms of a core each.
    const limits = { "signUps:address": 10 };
    world = await createWorld({ trustProxy: 1, bcryptCost: 11, limitFactor: 1, limits });
    await world.newcomer("owner");
  });
  afterEach(() => world.close());

  const from = (address: string, path: string, fields: object) =>
    request(world.app).post(path).type("form").set("X-Forwarded-For", address).send(fields);

  it("a flood of sign-ups or log-ins blocks no other log-in, and no page", async () => {
    const signUps = Array.from({ length: 60 }, (_, nth) =>
      from("203.0.113.1", "/signup", { name: `flood${nth}`, fullname: "Flood", password }),
    );
    const logIns = Array.from({ length: 60 }, (_, nth) =>
      from("203.0.113.2", "/login", { name: `nobody${nth}`, password }),
    );
    const flood = Promise.all([...signUps, ...logIns].map(async (one) => (await one).status));
    const waited: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      await from("198.51.100.7", "/login", { name: "owner", password }).expect(303);
      const begun = performance.now();
      await request(world.app).get("/@owner").set("X-Forwarded-For", "198.51.100.7").expect(200);
      waited.push(performance.now() - begun);
    }
    const statuses = await flood;
    // Most were sent away, before any password was hashed.
    expect(statuses.slice(0, 60).filter((status) => status === 303)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(60);
    expect(Math.max(...waited)).toBeLessThan(5000);
  }, 60_000);
});

describe("a log-in in a crowd", () => {
  it("a log-in in a crowd waits for its turn, however long after the deadline", async () => {
    const world = await createWorld({
      trustProxy: 1,
      bcryptCost: 11,
      limitFactor: 1,
      answerMilliseconds: 700,
    });
    await world.newcomer("owner");
    const crowd = Array.from({ length: 12 }, (_, nth) =>
      request(world.app)
        .post("/login")
        .type("form")
        .set("X-Forwarded-For", `203.0.113.${nth + 1}`)
        .send({ name: "owner", password }),
    );
    const statuses = await Promise.all(crowd.map(async (one) => (await one).status));
    expect(statuses).toEqual(crowd.map(() => 303));
    await world.close();
  });
});

describe("repeated refusals", () => {
  it("an address that is refused repeatedly gets the form at first, then one line with the time to wait", async () => {
    const world = await createWorld({ limits: { "signUps:address": 1 }, limitFactor: 1 });
    const visitor = world.visitor();
    const fields = { name: "flood", fullname: "Flood", password: "short" };
    await visitor.post("/signup", fields).expect(422);
    for (let nth = 0; nth < 10; nth += 1)
      expect((await visitor.post("/signup", fields).expect(429)).text).toContain('value="flood"');
    const { text, headers } = await visitor.post("/signup", fields).expect(429);
    expect(text).toMatch(/^Too many attempts.*Try again in .*\.\n$/);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expectSecureHeaders({ headers } as Response);
    await world.close();
  });
});

describe("guesses from many addresses", () => {
  let world: World;
  let owner: Visitor;
  beforeEach(async () => {
    const settings = { trustProxy: 1, limits: { "logIns:name": 30 } };
    world = await createWorld(settings, { workers: false });
    owner = await world.newcomer("owner");
  });
  afterEach(() => world.close());

  const guess = (address: string, secret = "wrong", name = "owner") =>
    request(world.app)
      .post("/login")
      .type("form")
      .set("X-Forwarded-For", address)
      .send({ name, password: secret });

  it("guesses from many addresses are limited in total, logged and reported to the owner, who still gets in", async () => {
    await owner.post("/logout").expect(303);
    for (let nth = 0; nth < 30; nth += 1) await guess(`203.0.113.${nth}`).expect(422);
    const refused = await guess("192.0.2.1").expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60 * 60);
    await guess("192.0.2.1", password).expect(429);
    await owner.logIn("owner");
    const { text } = await owner.get("/settings/sessions").expect(200);
    expect(text).toContain("30 wrong passwords or codes have been entered for this account since");
    const lines = world.logged.filter((line) => line.includes('"wrong password"'));
    expect(lines).toHaveLength(30);
    expect(lines[0]).toContain('"user":"1"');
  });

  it("guesses in a known browser count separately, and are limited too", async () => {
    await owner.post("/logout").expect(303);
    for (let nth = 0; nth < 10; nth += 1)
      await owner.post("/login", { name: "owner", password: "wrong" }).expect(422);
    await owner.post("/login", { name: "owner", password }).expect(429);
    await guess("192.0.2.1", password).expect(303);
  });

  it("guesses gain nothing from another account's browser cookie or a forged one", async () => {
    const thief = await world.newcomer("thief");
    for (let nth = 0; nth < 10; nth += 1)
      await thief.post("/login", { name: "owner", password: "wrong" }).expect(422);
    await thief.post("/login", { name: "owner", password: "wrong" }).expect(429);
    const forged = `suzume-known=${"a".repeat(16)}.${"b".repeat(43)}`;
    await guess("127.0.0.1").set("Cookie", forged).expect(429);
  });

  it("guesses leave no key per name once their address is limited", async () => {
    for (let nth = 0; nth < 100; nth += 1) await guess("203.0.113.9", "wrong", `n${nth}`);
    const before = await countKeys(world.ctx.redis);
    for (let nth = 0; nth < 50; nth += 1)
      await guess("203.0.113.9", "wrong", `m${nth}`).expect(429);
    expect(await countKeys(world.ctx.redis)).toBeLessThanOrEqual(before);
  });
});
