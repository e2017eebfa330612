import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSite } from "../../../src/domain/site/settings.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

async function say(who: ApiClient, status: string): Promise<string> {
  return (await who.post("/api/v1/statuses", { status }).expect(200)).body.id as string;
}

describe("reports through the API", () => {
  let world: World;
  let admin: Visitor;
  let ann: ApiClient;
  let spammer: string;
  let spam: string;
  let own: string;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] });
    admin = await world.newcomer("boss");
    for (const name of ["ann", "spammer"]) await world.newcomer(name);
    spammer = (await getUserByName(world.ctx, "spammer")).id;
    ann = await ApiClient.of(world, "ann");
    const other = await ApiClient.of(world, "spammer");
    spam = await say(other, "buy seeds");
    own = await say(ann, "no seeds");
  });
  afterAll(() => world.close());

  const report = (about: Record<string, unknown>) =>
    ann.post("/api/v1/reports", { account_id: spammer, ...about });

  it("API reports about statuses and accounts reach the admins", async () => {
    const { body } = await report({ status_ids: [spam], category: "spam", comment: "Seeds!" });
    expect(body).toMatchObject({
      category: "spam",
      comment: "Seeds!",
      status_ids: [spam],
      target_account: { username: "spammer" },
    });
    // Told again, it takes the place of what was told before.
    await report({ category: "constructor" }).expect(200);
    await report({ category: "violation" }).expect(200);
    const { text } = await admin.get("/admin/reports").expect(200);
    for (const words of ["buy seeds", "Seeds!", "Spam", "Abuse or harassment", "An account"])
      expect(text).toContain(words);
  });

  it("API reports name the rules that were broken", async () => {
    await writeSite(world.ctx, { rules: "Be kind.\nNo seeds." });
    await world.ctx.memory.settled();
    const { body } = await report({ rule_ids: ["2"], comment: "Seeds again" }).expect(200);
    expect(body).toMatchObject({ category: "violation", comment: "Seeds again", rule_ids: ["2"] });
    const { text } = await admin.get("/admin/reports").expect(200);
    expect(text).toContain("§ 2\nSeeds again");
    expect(text).toContain("Abuse or harassment");
    const refused = await report({ rule_ids: ["3"] }).expect(422);
    expect((refused.body as { error: string }).error).toContain("There is no such rule.");
  });

  it("API reports are refused whole if a status is missing or another's, or the comment too long", async () => {
    const before = (await admin.get("/admin/reports")).text.split("Whole").length;
    await report({ status_ids: [spam, own], comment: "Whole" }).expect(404);
    await report({ status_ids: [spam, "1"], comment: "Whole" }).expect(404);
    await report({ account_id: "999", comment: "Whole" }).expect(404);
    await report({ account_id: undefined }).expect(422);
    await report({ comment: "a".repeat(501) }).expect(422);
    const many = Array.from({ length: 21 }, () => spam);
    await report({ status_ids: many, comment: "Whole" }).expect(422);
    expect((await admin.get("/admin/reports")).text.split("Whole").length).toBe(before);
  });
});
