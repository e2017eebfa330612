import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("the list of settings", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("person");
  });
  afterAll(() => world.close());

  it("the account menu leads to a list of all settings, in four groups", async () => {
    const { text: home } = await person.get("/").expect(200);
    expect(home).toContain('href="/settings"');
    const { text } = await person.get("/settings").expect(200);
    for (const group of ["You", "Safety", "What you see", "Your data"])
      expect(text).toContain(`<h2 class="section-head">${group}</h2>`);
    expect(sectionsOn(text)).toHaveLength(15);
    expect(sectionsOn(text).some(({ isCurrent }) => isCurrent)).toBe(false);
  });

  it("each of the settings shows the list, where it stands in it, and the way back", async () => {
    const { text: list } = await person.get("/settings").expect(200);
    for (const { href } of sectionsOn(list)) {
      const { text } = await person.get(href).expect(200);
      const current = sectionsOn(text).filter(({ isCurrent }) => isCurrent);
      expect(current.map((section) => section.href)).toEqual([href]);
      expect(text).toContain('<a class="back" href="/settings">');
    }
  });
});

function sectionsOn(html: string) {
  const list = /<nav class="settings-groups".*?<\/nav>/s.exec(html)?.[0] ?? "";
  return [...list.matchAll(/<a href="([^"]+)"( aria-current="page")?/g)].map(
    ([, href = "", current]) => ({ href, isCurrent: current !== undefined }),
  );
}
