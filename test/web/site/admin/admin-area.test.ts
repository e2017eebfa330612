import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeCheckup } from "../../../../src/domain/site/numbers.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the admin area", () => {
  let world: World;
  let boss: Visitor;
  let judy: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] });
    boss = await world.newcomer("boss");
    judy = await world.newcomer("judy");
    await judy.tweet("one");
    await world.delivered();
    await boss.post("/admin/people/judy", { role: "moderator" }).expect(303);
  });
  afterAll(() => world.close());

  it("the admin area shows admins the week and the state of the site, and moderators the week", async () => {
    const seen = asText((await boss.get("/admin").expect(200)).text);
    expect(seen).toContain("2 users were around.");
    expect(seen).toMatch(/Sign-ups Users around Tweets Reports \S+ \S+ 2 2 1 0 /);
    expect(seen).toContain("2 accounts, deleted ones included");
    expect(seen).toContain("1 tweet, deleted ones included");
    expect(seen).toContain("None has failed");
    expect(seen).toMatch(/Memory of Redis [\d.]+ MB/);
    expect(seen).toContain("Has never looked");
    const others = asText((await judy.get("/admin").expect(200)).text);
    expect(others).toContain("2 users were around.");
    expect(others).not.toContain("Memory of Redis");
  });

  it("the admin area shows the last word of the doctor, with its time", async () => {
    const at = Date.parse("2026-11-20T10:00:00Z");
    const seenAfter = async (findings: number, left: number) => {
      await writeCheckup(world.ctx, { at, keys: 9, findings, left });
      world.pass(60_000);
      return asText((await boss.get("/admin").expect(200)).text);
    };
    expect(await seenAfter(0, 0)).toContain(
      "Found nothing wrong November 20, 2026 at 10:00 AM UTC",
    );
    expect(await seenAfter(3, 0)).toContain("Repaired all that was wrong");
    expect(await seenAfter(3, 2)).toContain("Left 2 things that are wrong");
  });

  it("the admin area walks over no keys", async () => {
    const { redis } = world.ctx;
    const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
    await Promise.all(nodes.map((node) => node.config("RESETSTAT")));
    world.pass(60_000);
    await boss.get("/admin").expect(200);
    const infos = await Promise.all(nodes.map((node) => node.info("commandstats")));
    expect(infos.join("\n")).toMatch(/cmdstat_pfcount/);
    expect(infos.join("\n")).not.toMatch(/cmdstat_(keys|scan|smembers)\b/);
  });
});
