import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCall } from "../../src/admin/commands.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("npm run admin", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  it("npm run admin -- stats shows the numbers of the site", async () => {
    const ann = await world.newcomer("ann");
    await world.newcomer("ben");
    await ann.tweet("one");
    await ann.tweet("two");
    await ann.post("/@ben/report", { reason: "spam", comment: "" }).expect(303);
    await world.delivered();
    const text = (await parseCall(["stats"]).command.run(world.ctx)).join("\n");
    expect(text).toMatch(/^users +2 signed up, 1 posted in the last 30 days$/m);
    expect(text).toMatch(/^tweets +2 posted/m);
    expect(text).toMatch(/^moderation +1 open reports, 0 users suspended$/m);
    expect(text).toMatch(/^jobs +\d+ waiting, \d+ active, \d+ delayed, 0 failed$/m);
    expect(text).toMatch(/^Redis .*, version \d+\.\d+\.\d+, \d+ keys, \S+ MB of memory, /m);
  });
});
