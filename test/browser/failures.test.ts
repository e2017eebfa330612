import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { listen } from "../../src/web/server/listen.ts";
import { startChromium } from "../support/actors/chromium.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { type BootedSite, bootSite } from "../support/world/booted-site.ts";

const notSent = "Not confirmed. Your text is kept. Send it again: it counts once.";
const notDone = "That did not work. Try again.";

const second = (page: Page) => page.locator("article", { hasText: "Second" }).first();

describe("failures in a browser", () => {
  let site: BootedSite;
  let server: Awaited<ReturnType<typeof listen>>;
  let browser: Browser;
  let writer: Visitor;
  beforeAll(async () => {
    site = await bootSite({
      port: 0,
      host: "127.0.0.1",
      limits: { "follows:account": 1, "changes:account": 1 },
    });
    server = await listen(site.app, site.ctx.config);
    browser = await startChromium(inject("chromium"));
    writer = new Visitor(site.app);
    await writer.signUp("writer");
    await new Visitor(site.app).signUp("reader");
    for (const text of ["First", "Second", "Third"]) await writer.tweet(text);
  });
  afterAll(async () => {
    void server.close();
    await site.close();
  });
  beforeEach(() => site.refuseWrites(false));

  async function open(name: string, path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      baseURL: server.url,
      reducedMotion: "reduce",
      ...options,
    });
    const answer = await new Visitor(site.app).post("/login", { name, password }).expect(303);
    const [key = "", value = ""] = sessionCookie(answer).split(/=(.*)/s);
    await context.addCookies([{ name: key, value, url: server.url }]);
    const page = await context.newPage();
    await page.goto(path);
    return { page, context };
  }

  it("a like shows before the server answers, and is taken back with a word if it fails", async () => {
    const { page, context } = await open("reader", "/@writer");
    const like = second(page).locator(".like");
    site.server.freeze();
    await like.click();
    await expect.poll(() => like.getAttribute("aria-pressed"), { timeout: 1000 }).toBe("true");
    await expect.poll(() => like.textContent()).toBe("1");
    await expect.poll(() => like.getAttribute("aria-label")).toBe("Like 1");
    await page.getByRole("status").filter({ hasText: notDone }).waitFor();
    site.server.thaw();
    await expect.poll(() => like.getAttribute("aria-pressed")).toBe("false");
    await expect.poll(() => like.textContent()).toBe("");
    expect(new URL(page.url()).pathname).toBe("/@writer");

    await context.setOffline(true);
    for (const button of [".bookmark", ".retweet"]) {
      await second(page).locator(button).click();
      await page.getByRole("status").filter({ hasText: notDone }).waitFor();
      await expect.poll(() => second(page).locator(button).count()).toBe(1);
    }
    expect(await findAccessibilityProblems(page, "toast")).toEqual([]);
    await context.setOffline(false);
    await like.click();
    await page.locator('article .like[title="Unlike"]').waitFor();
    await context.close();
  });

  it("presses in quick succession all count", async () => {
    const { page, context } = await open("reader", "/@writer");
    site.server.freeze();
    await page.evaluate(pressBookmark("First"));
    await page.evaluate(pressBookmark("Third"));
    site.server.thaw();
    // The title is from the server.
    for (const text of ["First", "Third"])
      await page
        .locator("article", { hasText: text })
        .locator('.bookmarked[title="Remove bookmark"]')
        .waitFor();
    await context.close();
  });

  it("a follow is taken back in an outage, and too many are refused with the time to wait", async () => {
    const { page, context } = await open("reader", "/explore");
    const form = page.locator('form.follow[action^="/@writer/"]').first();
    const press = () => form.getByRole("button").click();
    const shows = (verb: string) =>
      page.locator(`form.follow[action="/@writer/${verb}"]:not([aria-busy])`).first().waitFor();
    await site.refuseWrites(true);
    await press();
    await page.getByRole("status").filter({ hasText: notDone }).waitFor();
    await expect.poll(() => form.innerText()).toContain("Follow");
    await expect.poll(() => form.innerText()).not.toContain("Unfollow");
    await site.refuseWrites(false);
    for (const verb of ["unfollow", "follow"]) {
      await press();
      await shows(verb);
    }
    await press();
    await page
      .getByRole("status")
      .filter({ hasText: /minutes|hours/ })
      .waitFor();
    await expect.poll(() => form.innerText()).not.toContain("Unfollow");
    await context.close();
  });

  for (const how of ["offline", "refused"] as const)
    it(`a tweet that cannot be sent stays as it was typed: ${how}`, async () => {
      const { page, context } = await open("reader", "/");
      const form = page.locator('main form[action="/tweets"]');
      const area = form.locator("textarea");
      const send = form.getByRole("button", { name: "Tweet", exact: true });
      await area.fill(`A thought while ${how}`);
      const fail = (fails: boolean) =>
        how === "offline" ? context.setOffline(fails) : site.refuseWrites(fails);
      await fail(true);
      await send.click();
      await form.getByRole("alert").filter({ hasText: notSent }).waitFor();
      await expect.poll(() => area.inputValue()).toBe(`A thought while ${how}`);
      expect(await findAccessibilityProblems(page, how)).toEqual([]);
      await fail(false);
      await send.click();
      await page.locator("article", { hasText: `A thought while ${how}` }).waitFor();
      await expect.poll(() => form.getByRole("alert").count()).toBe(0);
      await expect.poll(() => area.inputValue()).toBe("");
      await context.close();
    });

  it("a form that is sent too often says when to try again, and keeps the text", async () => {
    const { page, context } = await open("reader", "/lists");
    const title = page.getByLabel("Name");
    const make = () => page.getByRole("button", { name: "Make list" }).click();
    await title.fill("Early birds");
    await make();
    await page.waitForURL(/members$/);
    await page.goto("/lists");
    await title.fill("Late birds");
    await make();
    const said = page.getByRole("alert").filter({ hasText: "Your text is kept." });
    await said.waitFor();
    await expect
      .poll(() => said.innerText())
      .toMatch(/Try again in \d+ minutes\.\nYour text is kept\.$/);
    await expect.poll(() => title.inputValue()).toBe("Late birds");
    await context.close();
  });

  it("without JavaScript a tweet that cannot be stored comes back as typed", async () => {
    const { page, context } = await open("reader", "/", { javaScriptEnabled: false });
    await page.locator('main form[action="/tweets"] textarea').fill("Line one\nline two");
    await site.refuseWrites(true);
    await page.getByRole("main").getByRole("button", { name: "Tweet", exact: true }).click();
    const area = page.getByLabel("Your text");
    await expect.poll(() => area.inputValue()).toBe("Line one\nline two");
    await area.fill("Line one\nline three");
    await site.refuseWrites(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("article", { hasText: "line three" }).waitFor();
    await context.close();
  });

  it("a deleted tweet goes from its list with a word, and the focus moves to the next one", async () => {
    const { page, context } = await open("writer", "/@writer");
    await page.evaluate("window.isSamePage = true");
    await second(page).locator("a.tweet-menu").click();
    await second(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("status").filter({ hasText: "Deleted." }).waitFor();
    await expect.poll(() => second(page).count()).toBe(0);
    const focused = "document.activeElement.closest('article')?.textContent";
    await expect.poll(() => page.evaluate(focused)).toContain("First");
    await expect.poll(() => page.evaluate("window.isSamePage")).toBe(true);
    expect(new URL(page.url()).pathname).toBe("/@writer");
    await context.close();
  });

  it("after the only tweet of a list, and on a tweet's own page, the next page says that it is deleted", async () => {
    const single = new Visitor(site.app);
    await single.signUp("single");
    for (const isInList of [true, false]) {
      await single.tweet("Alone");
      const { page, context } = await open("single", "/@single");
      const tweet = page.locator("article", { hasText: "Alone" });
      if (!isInList) await tweet.locator("a.tweet-time").click();
      await tweet.locator(isInList ? "a.tweet-menu" : ".tweet-menu > summary").click();
      await tweet.getByRole("button", { name: "Delete" }).click();
      await page.getByText("You have not tweeted yet").waitFor();
      await page.getByRole("status").filter({ hasText: "Deleted." }).waitFor();
      await context.close();
    }
  });
});

/** In the page: presses the button of the tweet with this text. */
function pressBookmark(text: string): string {
  return `[...document.querySelectorAll("article")]
    .find(({ textContent }) => textContent.includes("${text}")).querySelector(".bookmark").click()`;
}
