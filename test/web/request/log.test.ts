import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../../src/domain/users/passwords.ts";
import { sessionPrefix } from "../../../src/domain/users/sessions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { sessionCookie, sessionIn } from "../../support/inspect/cookies.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const canary = "canary-password-7f3a";

describe("the log", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ logLevel: "trace" });
  });
  afterAll(() => world.close());

  it("the log never holds a password, whatever happens to its form", async () => {
    const person = await world.newcomer("owner");
    const fields = { name: "canary", fullname: "Canary", password: canary };
    const crowd = Array.from({ length: 1100 }, (_, index) => `field${index}=${canary}`).join("&");
    await world.visitor().post("/signup", fields).expect(303);
    await world.visitor().post("/signup", fields).expect(422);
    await world.visitor().post("/login", fields).expect(303);
    await world.visitor().post("/login", { name: "owner", password: canary }).expect(422);
    await world
      .visitor()
      .post("/login", { name: canary, password: `${canary}\0` })
      .expect(422);
    await world.visitor().get(`/login?password=${canary}`).expect(200);
    const form = () => request(world.app).post("/signup").type("form");
    await form().send(crowd).expect(413);
    await form()
      .send(`password=${canary}&text=${"x".repeat(103_000)}`)
      .expect(413);
    await form().set("Content-Encoding", "gzip").send(`password=${canary}`).expect(400);
    await request(world.app).post("/signup").send(fields).expect(422);
    const foreign = form().set("Sec-Fetch-Site", "cross-site");
    await foreign.send(fields).expect(403);
    const change = { current_password: canary, new_password: canary };
    await person.post("/settings/account", change).expect(422);
    const kept = { current_password: password, new_password: canary };
    await person.post("/settings/account", kept).expect(303);
    await form().set("Authorization", `Bearer ${canary}`).send(fields).expect(422);

    expect(world.logged.length).toBeGreaterThan(10);
    expect(world.logged.filter((line) => line.includes(canary))).toEqual([]);
  });

  it("the log has no password hashes or session ids when Redis refuses a command", async () => {
    const redis = world.ctx.redis;
    await redis.del(keys.newestUsers);
    await redis.lpush(keys.newestUsers, "what no list of people is");
    const fields = { name: "unlucky", fullname: "Unlucky Person", password: canary };
    await world.visitor().post("/signup", fields).expect(500);
    await redis.del(keys.newestUsers);
    const pass = await hashPassword(canary, 4);
    await redis.set("plain", "what no user is");
    const refused: unknown = await redis.hset("plain", { pass }).catch((error: unknown) => error);
    world.ctx.log.error({ err: refused }, "as any handler would");

    const cookie = sessionCookie(await world.visitor().signUp("lucky"));
    const session = sessionIn(cookie);
    await redis.del(sessionPrefix + session);
    await redis.lpush(sessionPrefix + session, "what no session is");
    await request(world.app).get("/").set("Cookie", cookie).expect(500);

    const log = world.logged.join("");
    expect(log).toContain("WRONGTYPE");
    expect(log).not.toMatch(/\$2[aby]\$\d\d\$/);
    expect(log).not.toContain("Unlucky Person");
    expect(log).not.toContain(session);
    expect(log).not.toContain(cookie);
  });

  it("a log message is one line, whatever line breaks a request holds", async () => {
    const forged = "%0D%0A%7B%22level%22%3A60%7D%0A";
    for (const path of [`/${forged}`, `/@${forged}`, `/tweets/${forged}?before=${forged}`])
      await world.visitor().get(path).expect(404);
    const fields = { name: "a\r\nb", fullname: "x\r\ny", password: "p\r\nq-long-enough" };
    await world.visitor().post("/signup", fields).expect(422);
    for (const line of world.logged) {
      expect(line).toMatch(/^[^\r\n]+\n$/);
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) as number });
    }
  });

  it("a too large request is one terse log line", async () => {
    // Of a kind there is one in five seconds; another test of this file may have had it.
    await new Promise((resolve) => setTimeout(resolve, 5100));
    const before = world.logged.length;
    const crowd = Array.from({ length: 1100 }, (_, index) => `f${index}=x`).join("&");
    const form = request(world.app).post("/tweets").type("form");
    await form.send(crowd).expect(413);
    const lines = world.logged.slice(before);
    const refusals = lines.filter((line) => line.includes("parameters.too.many"));
    expect(refusals).toHaveLength(1);
    // The other is the one that every request has.
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThan(400);
  });
});
