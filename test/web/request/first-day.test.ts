import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { alertsOn, hiddenFields } from "../../support/inspect/page.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("limits of an account's first day", () => {
  let world: World;
  let ann: Visitor;
  beforeEach(async () => {
    const limits = {
      "tweets:account": 10,
      "tweets:newAddress": 10,
    };
    const settings = { limits, firstDayShare: 0.3, limitFactor: 1 };
    world = await createWorld(settings, { workers: false });
    ann = await world.newcomer("ann");
  });
  afterEach(() => world.close());

  const post = (text: string, by = ann) => by.post("/tweets", { text });

  it("a new account may do less on its first day, and is told so", async () => {
    for (const text of ["one", "two", "three"]) await post(text).expect(303);
    const { text } = await post("four, as it was typed").expect(429);
    expect(text).toContain("four, as it was typed");
    expect(alertsOn(text)).toEqual([
      "Too many attempts in a short time. Try again in 3 hours. New accounts may do less on their first day.",
    ]);
    const app = await ApiClient.of(world, "ann");
    const refused = await app.post("/api/v1/statuses", { status: "four" }).expect(429);
    expect(refused.body.error).toContain("on their first day");
    expect(refused.headers["x-ratelimit-limit"]).toBe("3");
  });

  it("an account older than a day has the usual limits", async () => {
    world.pass(day + 1000);
    for (let nth = 0; nth < 10; nth += 1) await post(`tweet ${nth}`).expect(303);
    const { text } = await post("eleven").expect(429);
    expect(alertsOn(text)).toEqual(["Too many attempts in a short time. Try again in 3 hours."]);
  });

  it("new accounts at one address do not use up the points of older users there", async () => {
    world.pass(day + 1000);
    const crowd = await Promise.all(["c1", "c2", "c3", "c4"].map((name) => world.newcomer(name)));
    const statuses: number[] = [];
    for (const one of crowd)
      for (let nth = 0; nth < 3; nth += 1) statuses.push((await post(`flood ${nth}`, one)).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(10);
    await post("undisturbed").expect(303);
  });

  it("a mention or a reply costs most where the user does not follow the author", async () => {
    const [bea, cy] = [await world.newcomer("bea"), await world.newcomer("cy")];
    await bea.follow("ann");
    await cy.tweet("I am here");
    const [tweet] = await cy.see("/@cy");
    const reply = (text: string) => ann.post("/tweets", { text, reply_to: tweet?.id ?? "" });
    world.pass(day + 1000);
    // Twelve points each of 120; beside them 1 + 10, 10 for a reply to a stranger, 10 for one who is both.
    await post("@bea @cy").expect(303);
    for (let nth = 0; nth < 3; nth += 1) await reply(`hello ${nth}`).expect(303);
    await reply("@cy hello again").expect(303);
    const { text } = await reply("@bea and hello").expect(429);
    expect(text).toContain("@bea and hello");
    expect(hiddenFields(text, "/tweets")).toMatchObject({ reply_to: tweet?.id });
  });

  it("to answer a user who has called the author is no flood", async () => {
    const bea = await world.newcomer("bea");
    await bea.tweet("@ann what do you think?");
    const [tweet] = await bea.see("/@bea");
    world.pass(day + 1000);
    for (let nth = 0; nth < 9; nth += 1)
      await ann.post("/tweets", { text: `@bea ${nth}`, reply_to: tweet?.id ?? "" }).expect(303);
  });

  it("names of no account, and texts that cannot be posted, cost little or nothing", async () => {
    world.pass(day + 1000);
    await post(`@bea ${"x".repeat(300)}`).expect(422);
    await post("@n1 @n2 @n3 @n4 @n5").expect(303);
    await post("@n1 @n2 @n3 @n4 @n5").expect(303);
  });
});
