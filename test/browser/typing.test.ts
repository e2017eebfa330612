import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../src/redis/keys.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("what is being typed, in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    for (const name of ["ann", "bob"]) await site.world.newcomer(name);
    await site.world.ctx.redis.hset(keys.site, "announcement", "Closed on Sunday");
  });
  afterAll(() => site.close());

  it("a message stays as it was typed when something else on the page is pressed", async () => {
    const { page, context } = await site.openPage("ann");
    const text = await newMessage(page);
    await text.fill("Half a thought");
    await closeAnnouncement(page);
    expect(await text.inputValue()).toBe("Half a thought");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("article").filter({ hasText: "Half a thought" }).waitFor();
    expect(await text.inputValue()).toBe("");
    await context.close();
  });

  it("a log-out that fails keeps the drafts of the browser", async () => {
    const { page } = await site.openPage("bob");
    await page.goto("/");
    await page.locator("#text").fill("Not yet");
    await page.route("**/logout", (route) => route.abort());
    await page.evaluate(`document.querySelector('form[action="/logout"]').requestSubmit()`);
    await page.locator(".toast", { hasText: "did not work" }).waitFor();
    await page.reload();
    expect(await page.locator("#text").inputValue()).toBe("Not yet");
  });
});

async function newMessage(page: Page) {
  await page.goto("/messages/new?to=bob");
  await page.getByRole("button", { name: "Next" }).click();
  const text = page.getByLabel("Your message");
  await text.waitFor();
  return text;
}

async function closeAnnouncement(page: Page): Promise<void> {
  const notice = page.locator('form[action="/announcement"] button');
  await notice.click();
  await notice.waitFor({ state: "detached" });
}
