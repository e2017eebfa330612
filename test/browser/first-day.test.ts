import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { logIn, logOut, signUp } from "./steps.ts";

describe("a first day in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const friend = await site.world.newcomer("friend");
    await friend.tweet("Good morning, 雀!");
  });
  afterAll(() => site.close());

  for (const [name, javaScriptEnabled] of [
    ["with", true],
    ["without", false],
  ] as const)
    it(`a new user can sign up, tweet, follow and log out ${name} JavaScript`, async () => {
      const { page, problems } = await site.openPage(undefined, { javaScriptEnabled });
      await page.goto("/");
      await page.getByRole("main").getByRole("link", { name: "Sign up" }).click();
      await page.getByLabel("Username").waitFor();
      await signUp(page, `bird_${name}`);
      await takeSteps(page, `bird_${name}`);
      await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
      await logOut(page);
      await logIn(page, `bird_${name}`);

      await tweet(page, `Hello ${name} a script`);
      await answer(page, `Hello ${name} a script`, "and an answer");
      await likeAndFollow(page);
      await site.world.delivered();
      await search(page, `${name} script`, `Hello ${name} a script`);

      await logOut(page);
      await page.goto("/notifications");
      expect(new URL(page.url()).pathname).toBe("/login");
      expect(problems).toEqual([]);
    });
});

async function takeSteps(page: Page, name: string): Promise<void> {
  await page.getByLabel("Bio").fill(`I am ${name}`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "People to follow" }).waitFor();
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Skip", exact: true }).click();
}

async function tweet(page: Page, text: string): Promise<void> {
  const form = page.locator('main form[action="/tweets"]');
  await form.locator("textarea").fill(text);
  await form.getByRole("button", { name: "Tweet" }).click();
  await page.locator("article", { hasText: text }).first().waitFor();
}

async function answer(page: Page, to: string, text: string): Promise<void> {
  const first = page.locator("article", { hasText: to }).first();
  const id = await first.getAttribute("data-tweet-id");
  await page.goto(`/tweets/${id}`);
  const form = page.locator("form#reply");
  await form.locator("textarea").fill(text);
  // With a script the click does not wait for the answer, and going away would give it up.
  const sent = page.waitForResponse((one) => one.request().method() === "POST");
  await form.getByRole("button", { name: "Reply" }).click();
  await sent;
  await page.goto(`/tweets/${id}`);
  await page.locator("article", { hasText: text }).first().waitFor();
}

async function likeAndFollow(page: Page): Promise<void> {
  await page.goto("/@friend");
  await page.locator("article button.like").first().click();
  await page.locator('article button.like[aria-pressed="true"]').first().waitFor();
  await page.goto("/@friend");
  await page.getByRole("main").getByRole("button", { name: "Follow" }).first().click();
  // From the server: with a script the label changes before.
  await page.locator('main form.follow[action="/@friend/unfollow"]').first().waitFor();
  await page.goto("/@friend/followers");
  await expect.poll(() => page.getByRole("main").innerText()).toContain("@bird_");
}

async function search(page: Page, words: string, found: string): Promise<void> {
  await page.goto("/search");
  await page.getByRole("main").getByRole("searchbox").fill(words);
  await page.getByRole("main").getByRole("button", { name: "Search" }).click();
  await page.locator("article", { hasText: found }).first().waitFor();
}
