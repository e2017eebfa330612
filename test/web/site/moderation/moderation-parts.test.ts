import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { photo } from "../../../support/data/pictures.ts";
import { avatarOn, hiddenFields } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("parts of what was reported", () => {
  let world: World;
  let boss: Visitor;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("boss");
    person = await world.newcomer("rude");
    const profile = { fullname: "Rude Name", bio: "a rude bio", website: "https://rude.example" };
    await person.post("/settings/profile", profile).expect(303);
    await person.agent
      .post("/settings/avatar")
      .attach("avatar", await photo(), "a.jpg")
      .expect(303);
  });
  afterAll(() => world.close());

  async function reported(): Promise<string> {
    await boss.post("/@rude/report", { reason: "spam", comment: "" }).expect(303);
    return (await boss.get("/admin/reports").expect(200)).text;
  }

  it("moderators can remove a picture, a full name or a bio without a suspension, and it is logged (M7)", async () => {
    const picture = avatarOn((await person.get("/@rude")).text);
    await request(world.app).get(picture).expect(200);
    for (const verb of ["picture", "fullname", "bio"]) {
      const page = await reported();
      expect(page).toContain(`value="${verb}"`);
      const fields = { ...hiddenFields(page, "/admin/reports"), note: "why", verb };
      await person.post("/admin/reports", fields).expect(403);
      await boss.post("/admin/reports", fields).expect(303);
    }
    await request(world.app).get(picture).expect(404);
    const { text } = await world.visitor().get("/@rude").expect(200);
    expect(text).not.toMatch(/Rude Name|a rude bio|rude\.example/);
    await person.get("/settings/profile").expect(200);
    const log = (await boss.get("/admin/audit").expect(200)).text.replaceAll(/<[^>]*>/g, "");
    for (const what of ["the picture", "the full name", "the bio and website"])
      expect(log).toContain(`@boss removed ${what} of @rude`);
    // Nothing is left to be taken away.
    expect(await reported()).not.toMatch(/value="(picture|fullname|bio)"/);
  });

  it("moderators read what a reported tweet said before an edit, even if its author blocked them", async () => {
    await person.tweet("Awful words");
    const [tweet] = await person.see("/@rude");
    const url = `/tweets/${tweet?.id}`;
    const witness = await world.newcomer("witness");
    await witness.post(`${url}/report`, { reason: "abuse" }).expect(303);
    await person.post(`${url}/edit`, { text: "Lovely words" }).expect(303);
    await person.post("/@boss/block").expect(303);
    await boss.get(`${url}/history`).expect(404);
    const { text } = await boss.get("/admin/reports").expect(200);
    const shown = text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect(shown).toMatch(/Lovely words .*Edit history As it was posted .*Awful words/);
  });
});
