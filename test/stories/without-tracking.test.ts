import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../support/world.ts";

describe("a site whose Redis tells of no changes", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ memoryBytes: 0 });
  });
  afterAll(() => world.close());

  it("shows every change at once", async () => {
    const [ann, ben] = [await world.newcomer("ann"), await world.newcomer("ben")];
    await ben.follow("ann");
    await ann.tweet("hello");
    await world.delivered();
    const [tweet] = await ben.see("/");
    expect(tweet).toMatchObject({ text: "hello" });
    await ben.post(`/tweets/${tweet?.id}/like`).expect(303);
    expect((await ben.get("/").expect(200)).text).toContain("/unlike");
    await ann.post("/settings/profile", { fullname: "Ann Other", bio: "" }).expect(303);
    expect((await ben.get("/").expect(200)).text).toContain("Ann Other");
    await ann.post(`/tweets/${tweet?.id}/delete`).expect(303);
    expect(await ben.see("/")).toEqual([]);
    await ben.post("/logout").expect(303);
    await ben.get("/settings/profile").expect(303);
    expect(world.ctx.memory.stats()).toMatchObject({ entries: 0, hits: 0, tracking: false });
  });
});
