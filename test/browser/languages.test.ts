import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { readLanguages } from "../../src/web/languages/translator.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { addSampleContent } from "../support/world/sample-content.ts";
import { pseudo, pseudoLanguages } from "../support/data/pseudo-language.ts";
import { untranslated } from "../support/inspect/untranslated.ts";
import type { WatchedPage } from "../support/actors/watched-page.ts";
import { connectToTestRedis } from "../support/world/world.ts";

const minute = 60_000;
const words = readLanguages().words("ja");

describe("the site in Japanese, in a browser", () => {
  let site: BrowserSite;
  let writer: UserId;
  let watched: WatchedPage;
  beforeAll(async () => {
    site = await openSite({ admins: ["viewer"] });
    await addSampleContent(site.world);
    ({ id: writer } = await getUserByName(site.world.ctx, "writer"));
    const { ctx } = site.world;
    // Of another process: this one gives no tweet a moment before those that it has met.
    const redis = connectToTestRedis("web", ctx.config);
    await waitUntilReady(redis, 5000);
    await postTweet({ ...ctx, redis, now: () => Date.now() - 5.02 * minute }, writer, {
      text: "五分前",
    });
    redis.disconnect();
    await site.world.delivered();
    watched = await site.openPage("viewer", { locale: "ja-JP", reducedMotion: "reduce" });
  });
  afterAll(() => site.close());

  it("the script changes its language with the page", async () => {
    const { page, close } = await site.openPage(undefined, { locale: "en-US" });
    await page.goto("/@writer");
    const time = page.locator("article", { hasText: "五分前" }).locator("time");
    await expect.poll(() => time.textContent()).toBe("5m");
    await page.locator('button[value="ja"]').click();
    await page.locator('html[lang="ja"]').waitFor();
    // It shows all times again.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => time.textContent()).toBe(words.t("time.minutes", { count: 5 }));
    await close();
  });

  it("the script speaks Japanese: times, counters, keys", async () => {
    const { page, problems } = watched;
    await page.goto("/");
    await expect.poll(() => page.getAttribute("html", "lang")).toBe("ja");
    const time = page.locator("article", { hasText: "五分前" }).locator("time");
    await expect.poll(() => time.textContent()).toBe(words.t("time.minutes", { count: 5 }));

    await page.locator("main textarea").fill("雀".repeat(277));
    const hint = page.locator("#text-hint");
    await expect.poll(() => hint.textContent()).toBe(words.t("script.left", { count: 3 }));
    await page.locator("main textarea").fill("雀".repeat(282));
    await expect.poll(() => hint.textContent()).toBe(words.t("script.over", { count: 2 }));
    await page.locator("main textarea").fill("");

    await page.locator("h1").click();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: words.t("script.hotkeys") });
    await expect
      .poll(() => dialog.locator("dd").allTextContents())
      .toContain(words.t("hotkey.help"));
    await dialog.getByRole("button", { name: words.t("script.close") }).click();
    expect(problems).toEqual([]);
  });

  it("every part of the settings is in sight in Japanese, on a phone too", async () => {
    const { page } = watched;
    const before = page.viewportSize() ?? { width: 1280, height: 900 };
    for (const width of [360, before.width]) {
      await page.setViewportSize({ ...before, width });
      await page.goto("/settings");
      const ends = await page
        .locator(".settings-groups a")
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
      expect(ends.length).toBeGreaterThan(6);
      expect(Math.max(...ends)).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize(before);
  });

  it("a Japanese reader is told of new items and of finished actions", async () => {
    const { page, problems } = watched;
    await page.goto("/");
    await page.locator("[data-live-after]").waitFor({ state: "attached" });
    await postTweet(site.world.ctx, writer, { text: "新しいお知らせ" });
    const pill = page.locator("a.live-pill");
    await pill.waitFor();
    await expect.poll(() => pill.textContent()).toBe(words.t("script.newTweets", words.counted(1)));
    await pill.click();
    const tweet = page.locator("article", { hasText: "新しいお知らせ" }).first();
    await tweet.locator("button.retweet").click();
    const toast = page.locator("#toast");
    await toast.getByText(words.t("script.retweeted")).waitFor();
    await expect.poll(() => toast.getByRole("button").textContent()).toBe(words.t("script.undo"));
    expect(problems).toEqual([]);
  });
});

describe("the script in the pseudo-language", () => {
  let site: BrowserSite;
  let watched: WatchedPage;
  beforeAll(async () => {
    site = await openSite({ admins: ["viewer"] }, { languages: pseudoLanguages() });
    await addSampleContent(site.world);
    const { id } = await getUserByName(site.world.ctx, "writer");
    for (let nth = 0; nth < 60; nth += 1)
      await postTweet(site.world.ctx, id, { text: `Number ${nth}` });
    await site.world.delivered();
    const permissions = ["clipboard-read", "clipboard-write"];
    watched = await site.openPage("viewer", { locale: pseudo, permissions });
  });
  afterAll(() => site.close());

  it.each([
    ["a composer that is full", fillComposer],
    ["a composer that refuses", pressTweet],
    ["the help", openHelp],
    ["a toast with an undo", retweet],
    ["a copied link", copyLink],
    ["older tweets that come by themselves", scrollDown],
  ])("the script says nothing without a message: %s", async (_what, act) => {
    const { page } = watched;
    await page.goto("/");
    await act(page);
    expect(untranslated(await page.content())).toEqual([]);
  });

  it("the script says nothing without a message: new items", async () => {
    const { page } = watched;
    await page.goto("/");
    const { id } = await getUserByName(site.world.ctx, "writer");
    await postTweet(site.world.ctx, id, { text: "Something new for @viewer" });
    await page.locator("a.live-pill").waitFor();
    await page.locator(".main-nav-badge").first().waitFor();
    expect(untranslated(await page.content())).toEqual([]);
  });
});

async function fillComposer(page: Page): Promise<void> {
  await page.locator("main textarea").fill("a".repeat(290));
  await spoken(page, "#announcer");
}

async function pressTweet(page: Page): Promise<void> {
  await page.locator("main form.composer .button-primary").click();
  await page.locator("main .field-error").waitFor();
}

async function openHelp(page: Page): Promise<void> {
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
}

async function retweet(page: Page): Promise<void> {
  await page.locator('main button.retweet[aria-pressed="false"]').first().click();
  await page.locator("#toast button").waitFor();
}

async function copyLink(page: Page): Promise<void> {
  await page.locator("main .tweet-menu").first().click();
  await page.locator("main [data-copy]").first().click();
  await spoken(page, "#toast");
}

async function scrollDown(page: Page): Promise<void> {
  await page.locator("main nav.pager").scrollIntoViewIfNeeded();
  await spoken(page, "#announcer");
}

/** Resolves once something is said there. */
async function spoken(page: Page, region: string): Promise<void> {
  await page.locator(`${region}:not(:empty)`).waitFor({ state: "attached" });
}
