import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEventStream } from "../support/actors/event-stream.ts";
import { serve } from "../support/world/serve.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("a site without CLIENT TRACKING", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ memoryBytes: 0 });
  });
  afterAll(() => world.close());

  it("without CLIENT TRACKING every change is visible at once", async () => {
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

  it("without CLIENT TRACKING open pages still hear of new items", async () => {
    const cat = await world.newcomer("cat");
    const dan = new Visitor(world.app);
    const cookie = sessionCookie(await dan.signUp("dan"));
    await dan.follow("cat");
    const site = await serve(world.app);
    const page = await openEventStream(site.port, `/live?after=${Date.now() * 1000}`, {
      Cookie: cookie,
    });
    await page.hears("home", "0");
    await cat.tweet("something new");
    await page.hears("home", "1");
    page.leave();
    await site.close();
  });
});
