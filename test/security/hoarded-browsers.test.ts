import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const guess = async (visitor: Visitor, secret = "wrong") =>
  (await visitor.post("/login", { name: "owner", password: secret })).status;

describe("browsers that have logged in to an account", () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({ limits: { "logIns:name": 2 } }, { workers: false });
    await world.newcomer("owner");
  });
  afterEach(() => world.close());

  /** A browser with a mark, signed out. */
  async function knownBrowser(): Promise<Visitor> {
    const visitor = world.visitor();
    await visitor.logIn("owner");
    await visitor.post("/logout").expect(303);
    return visitor;
  }

  it("many of them have a bounded number of guesses together, and strangers take none of it", async () => {
    const browsers: Visitor[] = [];
    for (let nth = 0; nth < 12; nth += 1) browsers.push(await knownBrowser());
    const statuses: number[] = [];
    for (let nth = 0; nth < 60; nth += 1)
      statuses.push(await guess(browsers[nth % browsers.length] as Visitor));
    expect(statuses.filter((status) => status === 422)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  it("strangers who use up the guesses of the name leave those of its owner's browser", async () => {
    const browser = await knownBrowser();
    const stranger = world.visitor();
    for (let nth = 0; nth < 5; nth += 1) await guess(stranger);
    expect(await guess(stranger)).toBe(429);
    expect(await guess(browser, password)).toBe(303);
  });

  it("a new password ends their marks: they count as strangers", async () => {
    const browser = await knownBrowser();
    const user = await getUserByName(world.ctx, "owner");
    const next = "another-fine-sparrow-1987";
    await changePassword(world.ctx, user, { current: password, next });
    expect([await guess(browser), await guess(browser), await guess(browser)]).toEqual([
      422, 422, 429,
    ]);
  });
});
