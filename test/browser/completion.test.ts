import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { finishJobs } from "../support/world/doctor.ts";

/** Text of the option that is chosen; empty if none is. */
const chosen = (page: Page, field: string) =>
  page.evaluate<string>(
    `(() => {
      const id = document.querySelector(${JSON.stringify(field)}).getAttribute("aria-activedescendant");
      return (id && document.getElementById(id).textContent) ?? "";
    })()`,
  );
const list = (page: Page) => page.getByRole("listbox");

describe("completion of names and tags", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const { world } = site;
    for (const name of ["typist", "sparrow_ann"]) await world.newcomer(name);
    const reader = await world.newcomer("leser");
    await reader.post("/language", { language: "ja" }).expect(303);
    await (await world.newcomer("sparrow_ben")).tweet("#sparing #sparrows");
    await finishJobs(world);
    world.pass(61_000);
  });
  afterAll(() => site.close());

  it.each([
    ["typist", "Suggestions", "2 suggestions"],
    ["leser", "入力候補", "入力候補が2件あります"],
  ])("%s completes a name and a tag in the composer by keyboard", async (name, label, spoken) => {
    const { page, problems } = await site.openPage(name, { reducedMotion: "reduce" });
    await page.goto("/");
    const field = "main .composer textarea";
    await page.locator(field).focus();
    await page.keyboard.type("Hello @sparr");
    await list(page).waitFor();
    await expect.poll(() => list(page).getAttribute("aria-label")).toBe(label);
    await page.locator("#announcer", { hasText: spoken }).waitFor({ state: "attached" });
    expect(await findAccessibilityProblems(page, `the list of ${name}`)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => chosen(page, field)).toContain("@sparrow_ben");
    expect(await findAccessibilityProblems(page, `a choice of ${name}`)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.inputValue(field)).toBe("Hello @sparrow_ben ");
    await page.keyboard.type("#SPARR");
    await list(page).waitFor();
    // Nothing is chosen by itself: Enter is a new line.
    await page.keyboard.press("Enter");
    await expect.poll(() => page.inputValue(field)).toBe("Hello @sparrow_ben #SPARR\n");
    await page.keyboard.press("Backspace");
    await list(page).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => list(page).count()).toBe(0);
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.keyboard.type("o");
    await page.keyboard.press("Backspace");
    await list(page).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.inputValue(field)).toBe("Hello @sparrow_ben #sparrows ");
    expect(problems).toEqual([]);
  });

  it("the search box completes, by mouse too, and Enter searches what is typed", async () => {
    const { page, problems } = await site.openPage("typist", { reducedMotion: "reduce" });
    await page.goto("/search");
    const box = page.locator("#q");
    await box.focus();
    await page.keyboard.type("@sparrow_a");
    await list(page).waitFor();
    await expect.poll(() => page.getByRole("combobox", { expanded: true }).count()).toBe(1);
    expect(await findAccessibilityProblems(page, "the search box")).toEqual([]);
    await page.getByRole("option").click();
    await expect.poll(() => box.inputValue()).toBe("@sparrow_ann ");
    await expect.poll(() => box.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    await page.locator("#top-people").waitFor();
    expect(page.url()).toContain("q=%40sparrow_ann");
    expect(problems).toEqual([]);
  });
});
