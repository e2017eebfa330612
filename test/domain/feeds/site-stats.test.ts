import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { siteStats } from "../../../src/domain/feeds/public-lists.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("site statistics", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("site statistics are counted once in ten minutes; users silent for a month are not active", async () => {
    const { ctx } = world;
    expect(await siteStats(ctx)).toEqual({ people: 0, tweets: 0, activePeople: 0 });
    const [one, other] = await newPeople(ctx, 3);
    if (one === undefined || other === undefined) throw new Error("nobody");
    for (const author of [one, one, other]) await postAndDeliver(ctx, author, "hello");
    expect(await siteStats(ctx)).toMatchObject({ people: 0 });
    world.pass(11 * 60_000);
    expect(await siteStats(ctx)).toEqual({ people: 3, tweets: 3, activePeople: 2 });
    world.pass(40 * 24 * 60 * 60_000);
    await postAndDeliver(ctx, other, "still here");
    expect(await siteStats(ctx)).toEqual({ people: 3, tweets: 4, activePeople: 1 });
  });
});
