import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keys } from "../../src/redis/keys.ts";
import { furnish } from "../support/furnished.ts";
import { diagnose, settled } from "../support/patient.ts";
import { createWorld, type World } from "../support/world.ts";

describe("the doctor", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ admins: ["viewer"] });
    await furnish(world);
    await settled(world);
  });
  afterAll(async () => world.close());

  it("finds nothing in a site that is well", async () => {
    expect(await diagnose(world)).toMatchObject({ findings: [], counts: {}, left: 0 });
  });
});
