import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("notes of moderators", () => {
  let world: World;
  let boss: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("boss");
    const [person] = [await world.newcomer("person"), await world.newcomer("author")];
    await person.post("/@author/report", { reason: "spam" }).expect(303);
  });
  afterAll(() => world.close());

  it.each(["/admin/people/author", "/admin/suspended", "/admin/reports"])(
    "Enter in a note presses no button: %s",
    async (path) => {
      const { text } = await boss.get(path).expect(200);
      expect(text).toMatch(/<textarea[^>]* name="note"/);
      expect(text).not.toMatch(/<input[^>]* name="note"/);
    },
  );
});
