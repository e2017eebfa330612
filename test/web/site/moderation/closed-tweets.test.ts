import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields } from "../../../support/inspect/page.ts";
import { send, sources } from "../../../support/actors/composer.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { picture } from "../../../support/data/pictures.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("moderating tweets that not everyone may see", () => {
  let world: World;
  let boss: Visitor;
  let ann: Visitor;
  let bob: Visitor;
  let address: string;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] });
    [boss, ann, bob] = [
      await world.newcomer("boss"),
      await world.newcomer("ann"),
      await world.newcomer("bob"),
    ];
    await bob.follow("ann");
    const pictures = [await picture("png")];
    await send(ann, { text: "a rude word", audience: "followers", pictures });
    await world.delivered();
    [address = ""] = sources((await ann.get("/")).text);
  });
  afterAll(() => world.close());

  it("a moderator sees such a tweet and its picture only after a report, and a note in the log", async () => {
    const look = { subject: "t1", verb: "look", note: "" };
    await boss.get("/tweets/1").expect(404);
    await boss.get(address).expect(404);
    await boss.post("/admin/reports", look).expect(404);
    expect((await boss.get("/admin/audit")).text).not.toContain("looked at");

    await bob.post("/tweets/1/report", { reason: "abuse", comment: "" }).expect(303);
    const { text: queue } = await boss.get("/admin/reports").expect(200);
    expect(queue).toContain("This tweet is not for everyone.");
    expect(queue).not.toContain("a rude word");
    expect(queue).not.toContain(address);
    const fields = { ...hiddenFields(queue, "/admin/reports"), ...look };
    const { text: shown } = await boss.post("/admin/reports", fields).expect(200);
    expect(shown).toContain("a rude word");
    await boss.get(address).expect(200);
    const { text: log } = await boss.get("/admin/audit").expect(200);
    expect(log.match(/looked at/g)).toHaveLength(1);
    await boss.post("/admin/reports", fields).expect(200);
    expect((await boss.get("/admin/audit")).text.match(/looked at/g)).toHaveLength(1);
    expect((await boss.get("/admin/reports")).text).not.toContain("a rude word");
    await boss.get("/tweets/1").expect(404);

    await boss.post("/admin/reports", { ...fields, verb: "dismiss" }).expect(303);
    await boss.get(address).expect(404);
    await boss.post("/admin/reports", look).expect(404);
  });
});
