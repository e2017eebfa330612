import request from "supertest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../src/web/request/address.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("failed log-ins", () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({ trustProxy: 1 }, { workers: false });
    await world.newcomer("victim");
  });
  afterEach(() => world.close());

  const attempt = (from: string, name: string, secret: string) =>
    request(world.app)
      .post("/login")
      .type("form")
      .set("X-Forwarded-For", from)
      .send({ name, password: secret });

  it("failed log-ins to one account are limited for each address; its owner gets in elsewhere", async () => {
    for (let time = 1; time <= 10; time += 1)
      await attempt("198.51.100.1", "victim", "wrong").expect(422);
    for (const secret of ["wrong", password]) {
      const refused = await attempt("198.51.100.1", "victim", secret).expect(429);
      const wait = Number(refused.headers["retry-after"]);
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(15 * 60);
    }
    await attempt("198.51.100.2", "victim", password).expect(303);
    await attempt("198.51.100.1", "bystander", "wrong").expect(422);
  });

  it("failed log-ins count together for every spelling of the name", async () => {
    const spellings = ["victim", "VICTIM", " victim", "victim  ", "\tVictim"];
    const answers = [];
    for (let time = 0; time < 15; time += 1)
      answers.push(await attempt("198.51.100.1", spellings[time % 5] ?? "", "wrong"));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it("simultaneous failed log-ins count together", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => attempt("198.51.100.1", "victim", "wrong")),
    );
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(20);
  });

  it("failed log-ins to many accounts are limited for each address", async () => {
    for (let time = 1; time <= 100; time += 1)
      await attempt("198.51.100.1", `name${time}`, "wrong").expect(422);
    const refused = await attempt("198.51.100.1", "victim", password).expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await attempt("198.51.100.2", "victim", password).expect(303);
  });

  it("only failed log-ins are limited", async () => {
    for (let time = 1; time <= 25; time += 1)
      await attempt("198.51.100.1", "victim", password).expect(303);
  });

  it("failed log-ins count for the address that the trusted proxy saw, whatever the client claims", async () => {
    for (let time = 1; time <= 10; time += 1)
      await attempt(`203.0.113.${time}, 198.51.100.1`, "victim", "wrong").expect(422);
    await attempt("203.0.113.99, 198.51.100.1", "victim", "wrong").expect(429);
  });

  it("failed log-ins count for the connection's address without a trusted proxy", async () => {
    await world.close();
    world = await createWorld({ trustProxy: false }, { workers: false });
    for (let time = 1; time <= 10; time += 1)
      await attempt(`203.0.113.${time}`, "victim", "wrong").expect(422);
    await attempt("203.0.113.99", "victim", "wrong").expect(429);
  });

  it("failed log-ins count for a whole IPv6 network", async () => {
    for (let time = 1; time <= 10; time += 1)
      await attempt(`2001:db8:1:2::${time}`, "victim", "wrong").expect(422);
    await attempt("2001:db8:1:2:ffff:ffff:ffff:ffff", "victim", "wrong").expect(429);
    await attempt("2001:db8:1:3::1", "victim", password).expect(303);
  });
});

describe("the address that an attempt counts for", () => {
  it.each([
    ["198.51.100.1", "198.51.100.1"],
    ["::ffff:198.51.100.1", "198.51.100.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ])("attempts from %s count for %s", (ip, address) => {
    expect(addressOf({ ip })).toBe(address);
  });

  it("clients without an address count together", () => {
    expect(addressOf({ ip: undefined })).toBe("unknown");
  });
});
