import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertsOn } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const themeOf = (page: string) => /<body[^>]* data-theme="(\w+)"/.exec(page)?.[1];

/** Colours of the browser's own bar around the page. */
const barColoursOn = (page: string) =>
  [...page.matchAll(/name="theme-color" content="([^"]*)"/g)].map(([, colour]) => colour);

describe("choosing a theme", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a user chooses day or night for all pages, and the theme of the system again", async () => {
    const user = await world.newcomer("owl");
    expect(themeOf((await user.get("/")).text)).toBeUndefined();
    for (const theme of ["night", "day"]) {
      const answer = await user.post("/settings/theme", { theme }).expect(303);
      const { text } = await user.get(answer.headers["location"] ?? "").expect(200);
      expect(text).toContain("Your theme is saved.");
      expect(text).toContain(`name="theme" value="${theme}" checked`);
      for (const path of ["/", "/@owl", "/nowhere"])
        expect(themeOf((await user.get(path)).text)).toBe(theme);
      expect(barColoursOn(text)).toEqual([theme === "night" ? "#16110d" : "#f8f3ec"]);
    }
    await user.post("/settings/theme", { theme: "" }).expect(303);
    const { text } = await user.get("/");
    expect(themeOf(text)).toBeUndefined();
    expect(barColoursOn(text)).toEqual(["#f8f3ec", "#16110d"]);
  });

  it("a theme that does not exist is refused beside the choices", async () => {
    const user = await world.newcomer("rainbow");
    const { text } = await user.post("/settings/theme", { theme: "rainbow" }).expect(422);
    expect(alertsOn(text)).toHaveLength(1);
  });
});
