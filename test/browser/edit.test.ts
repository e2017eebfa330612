import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("editing a tweet with the site's script", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const mia = await site.world.newcomer("mia");
    await mia.tweet("As it was posted");
  });
  afterAll(() => site.close());

  it("an edit that cannot be sent stays as it was typed, and is sent again to the tweet's page", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/@mia");
    await page.locator("article a.tweet-time").click();
    await page.locator(".tweet-menu > summary").click();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.waitForURL(/\/edit$/);
    const area = page.locator("main textarea[name=text]");
    await expect.poll(() => area.inputValue()).toBe("As it was posted");
    await area.fill("As it is now");
    const save = page.getByRole("main").getByRole("button", { name: "Save" });
    await page.context().setOffline(true);
    await save.click();
    await page
      .getByRole("alert")
      .filter({ hasText: "Not confirmed. Your text is kept." })
      .waitFor();
    await expect.poll(() => area.inputValue()).toBe("As it is now");
    await page.context().setOffline(false);
    await save.click();
    await page.waitForURL(/\/tweets\/\d+$/);
    await page.locator(".tweet-large", { hasText: "As it is now" }).waitFor();
    await page.getByRole("link", { name: /^Edited / }).click();
    await page.getByText("As it was posted", { exact: true }).last().waitFor();
  });
});
