import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("a listed tweet", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const writer = await site.world.newcomer("writer");
    for (const text of ["First thoughts", "Second thoughts", "Last thoughts"])
      await writer.tweet(text);
    await site.world.delivered();
  });
  afterAll(() => site.close());

  it("the menu of a listed tweet opens in place, takes the focus, and closes by a key", async () => {
    const { page, problems } = await site.openPage("writer", { reducedMotion: "reduce" });
    await page.goto("/");
    const { length } = await page.locator("a.tweet-menu").all();
    await page.locator("a.tweet-menu").first().focus();
    await page.keyboard.press("Enter");
    const menu = page.locator("main details.tweet-menu[open]");
    await menu.getByRole("button", { name: "Delete" }).waitFor();
    await expect.poll(() => page.locator("a.tweet-menu").count()).toBe(length - 1);
    expect(new URL(page.url()).pathname).toBe("/");
    await expect
      .poll(() => page.evaluate("document.activeElement.matches('details[open] > summary')"))
      .toBe(true);
    expect(await findAccessibilityProblems(page, "/")).toEqual([]);
    await page.keyboard.press("Space");
    await expect.poll(() => menu.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("the menu of a listed tweet closes when another opens", async () => {
    const { page } = await site.openPage("writer");
    await page.goto("/");
    const open = page.locator("main details.tweet-menu[open]");
    for (const text of ["First thoughts", "Second thoughts"]) {
      const tweet = page.locator("article", { hasText: text });
      await tweet.locator("a.tweet-menu").click();
      await tweet.locator("details.tweet-menu[open]").waitFor();
    }
    await expect.poll(() => open.count()).toBe(1);
  });

  it("the menu of a listed tweet opens on the tweet's page where it cannot open in place", async () => {
    const { page } = await site.openPage("writer");
    await page.goto("/");
    await page.route("**/tweets/*", (route) =>
      route.request().isNavigationRequest() ? route.continue() : route.abort(),
    );
    await page.locator("a.tweet-menu").first().click();
    await page.waitForURL("**/tweets/*?menu#menu");
    await page.locator("details.tweet-menu[open]").waitFor();
  });

  it("a listed tweet shows its full time under the pointer", async () => {
    const { page } = await site.openPage("writer");
    await page.goto("/");
    const time = page.locator(".tweet-time time").first();
    await expect.poll(() => time.getAttribute("title")).toBeNull();
    await time.hover();
    await expect.poll(() => time.getAttribute("title")).toMatch(/\d{4} at \d+:\d\d [AP]M$/);
  });

  it("times are those of the browser's zone, and UTC without JavaScript", async () => {
    // 14 hours after UTC: a part of each day is another date.
    const timezoneId = "Pacific/Kiritimati";
    const long = async (javaScriptEnabled: boolean) => {
      const { page } = await site.openPage("writer", { timezoneId, javaScriptEnabled });
      await page.goto("/");
      await page.locator(".tweet-time").first().click();
      const time = page.locator(".tweet-date time");
      await time.waitFor();
      if (javaScriptEnabled) await time.filter({ hasNotText: "UTC" }).waitFor();
      return [await time.getAttribute("datetime"), await time.innerText()];
    };
    const [iso = "", here = ""] = await long(true);
    const format = { dateStyle: "long", timeStyle: "short" } as const;
    expect(here).toBe(
      new Date(iso ?? "").toLocaleString("en", { ...format, timeZone: timezoneId }),
    );
    const [, plain = ""] = await long(false);
    expect(plain).toBe(
      `${new Date(iso ?? "").toLocaleString("en", { ...format, timeZone: "UTC" })} UTC`,
    );
  });

  it("without JavaScript the menu is open on the tweet's page, and asks before it deletes", async () => {
    const { page } = await site.openPage("writer", { javaScriptEnabled: false });
    await page.goto("/");
    const tweet = page.locator("article", { hasText: "Last thoughts" });
    await tweet.getByRole("link", { name: "More actions for this tweet" }).click();
    await page.waitForURL("**/tweets/*?menu#menu");
    await page.getByText("Deleting cannot be undone.").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    // Back in the list.
    await page.waitForURL(`${site.url}/#deleted`);
    await page.getByText("Deleted.", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("main").innerText()).not.toContain("Last thoughts");
    await expect.poll(() => page.getByRole("main").innerText()).toContain("Second thoughts");
  });
});
