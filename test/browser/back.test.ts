import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

/** Back shows the copy of a page that Turbo keeps. */
describe("a page that is shown again by Back", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const writer = await site.world.newcomer("writer");
    await writer.tweet("Look at my menu");
  });
  afterAll(() => site.close());

  it("a password that was shown is hidden again, and its button works", async () => {
    const { page, problems } = await site.openPage();
    await page.goto("/login");
    const field = page.getByLabel("Password");
    await field.fill("correct horse");
    await page.getByRole("button", { name: "Show password" }).click();
    await expect.poll(() => field.getAttribute("type")).toBe("text");
    await lookAway(page);
    await page.waitForURL("**/login");
    await page.getByRole("button", { name: "Show password" }).waitFor();
    expect(await field.getAttribute("type")).toBe("password");
    await page.getByRole("button", { name: "Show password" }).click();
    await expect.poll(() => field.getAttribute("type")).toBe("text");
    expect(problems).toEqual([]);
  });

  it("a menu that was open is closed, and opens again", async () => {
    const { page, problems } = await site.openPage("writer");
    await page.goto("/@writer");
    const tweet = page.locator("article", { hasText: "Look at my menu" });
    await tweet.locator("a.tweet-menu").click();
    await tweet.getByRole("button", { name: "Delete" }).waitFor();
    await lookAway(page);
    await page.waitForURL("**/@writer");
    await tweet.waitFor();
    expect(await tweet.locator("details[open]").count()).toBe(0);
    // In a page that was made anew meanwhile it is a link again.
    await tweet.locator("details.tweet-menu > summary, a.tweet-menu").click();
    await tweet.getByRole("button", { name: "Delete" }).waitFor();
    expect(problems).toEqual([]);
  });
});

/** Visits another page, and comes back when it is shown. */
async function lookAway(page: Page): Promise<void> {
  await page.locator('.site-footer a[href="/about"]').click();
  await page.getByRole("heading", { level: 1, name: "About" }).waitFor();
  await page.goBack();
}
