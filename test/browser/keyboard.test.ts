import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("the site by keyboard", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const writer = await site.world.newcomer("writer");
    await writer.tweet("Press me");
    await site.world.newcomer("typist");
  });
  afterAll(() => site.close());

  it("a keyboard user can skip to the content", async () => {
    const { page } = await site.openPage("typist");
    await page.goto("/explore");
    await page.keyboard.press("Tab");
    await expect
      .poll(() => focused(page))
      .toMatchObject({ text: "Skip to content", visible: true });
    await page.keyboard.press("Enter");
    await page.locator("main:focus").waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toMatchObject({ inMain: true });
  });

  it("a keyboard user can write a tweet, like one and log out", async () => {
    const { page, problems } = await site.openPage("typist");
    await page.goto("/");
    await tabTo(page, (at) => at.name === "text");
    await page.keyboard.type("Typed without a mouse");
    await tabTo(page, (at) => at.text === "Tweet" && at.inMain);
    await page.keyboard.press("Enter");
    await page.locator("article", { hasText: "Typed without a mouse" }).first().waitFor();

    await page.goto("/@writer");
    await tabTo(page, (at) => at.tag === "BUTTON" && at.text.startsWith("Like"));
    await page.keyboard.press("Space");
    await page.locator('article button.like[aria-pressed="true"]').waitFor();

    await page.goto("/");
    await tabTo(page, (at) => at.tag === "SUMMARY" && !at.inMain);
    await page.keyboard.press("Enter");
    await tabTo(page, (at) => at.text === "Log out");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Sign up" }).first().waitFor();
    expect(problems).toEqual([]);
  });

  it("a keyboard user can open and close menus", async () => {
    const { page } = await site.openPage("typist");
    await page.goto("/@typist");
    const menu = page.locator("details.account");
    await tabTo(page, (at) => at.tag === "SUMMARY" && !at.inMain);
    await page.keyboard.press("Space");
    await expect.poll(() => menu.getAttribute("open")).not.toBeNull();
    await page.keyboard.press("Space");
    await expect.poll(() => menu.getAttribute("open")).toBeNull();
  });

  for (const path of ["/", "/@writer", "/settings/profile", "/search?q=press"])
    it(`a keyboard user sees the focus, in page order: ${path}`, async () => {
      const { page } = await site.openPage("typist");
      await page.goto(path);
      const places = await tour(page);
      expect(places.length).toBeGreaterThan(10);
      expect(places.filter(({ visible }) => !visible)).toEqual([]);
      // No tabindex changes the order.
      const nths = places.map(({ nth }) => nth);
      expect(nths).toEqual(nths.toSorted((one, other) => one - other));
    });
});

/** What has the focus. */
interface Place {
  tag: string;
  name: string;
  text: string;
  inMain: boolean;
  /** Inside the window, with an outline or a shadow around it, or around what it stands in. */
  visible: boolean;
  /** Its place among all elements. */
  nth: number;
}

async function focused(page: Page): Promise<Place> {
  return await page.evaluate<Place>(`(() => {
    const at = document.activeElement;
    const box = at.getBoundingClientRect();
    const styles = [at, at.parentElement, at.closest(".composer") ?? at, ...at.querySelectorAll("*")].map((one) => getComputedStyle(one));
    const ringed = styles.some((one) => (one.outlineStyle !== "none" && parseFloat(one.outlineWidth) > 0) || one.boxShadow !== "none");
    return {
      tag: at.tagName,
      name: at.getAttribute("name") ?? "",
      text: at.ariaLabel ?? (at.textContent.trim() || at.title),
      inMain: at.closest("main") !== null,
      visible: ringed && box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
      nth: [...document.querySelectorAll("*")].indexOf(at),
    };
  })()`);
}

/** Throws if Tab does not lead there. */
async function tabTo(page: Page, isThere: (place: Place) => boolean): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    if (isThere(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab leads nowhere on ${page.url()}`);
}

/** Every stop of the Tab key, until it leaves the page. */
async function tour(page: Page): Promise<Place[]> {
  const places: Place[] = [];
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press("Tab");
    const place = await focused(page);
    if (place.tag === "BODY" || place.nth === places[0]?.nth) break;
    places.push(place);
  }
  return places;
}
