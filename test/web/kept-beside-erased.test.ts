import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** A process that stands still for a second keeps nothing over it. */
const onBusyMachines = { retry: 3 };

describe("a page with a reply to an account that is gone", () => {
  let world: World;
  let leaver: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    leaver = await world.newcomer("leaver");
    const friend = await world.newcomer("friend");
    await leaver.tweet("Farewell");
    await world.delivered();
    const [tweet] = await friend.see("/@leaver");
    const { text } = await friend.get(`/tweets/${tweet?.id}`).expect(200);
    await friend.post("/tweets", { ...hiddenFields(text, "/tweets"), text: "Good luck #gone" });
    await leaver.post("/settings/account/delete", { name: "leaver", password }).expect(303);
    await finishJobs(world);
    world.pass(2 * 3_600_000);
  });
  afterAll(() => world.close());

  it("is kept, and asks Redis for nothing", onBusyMachines, async () => {
    const reader = world.visitor();
    for (let time = 0; time < 2; time += 1)
      expect((await reader.get("/tags/gone").expect(200)).text).toContain("Good luck");
    const { misses } = world.ctx.memory.stats();
    await reader.get("/tags/gone").expect(200);
    expect(world.ctx.memory.stats().misses).toBe(misses);
  });
});
