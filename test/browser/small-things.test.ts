import { EventEmitter, once } from "node:events";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findImport, saveProgress, saveWish } from "../../src/domain/accounts/import-store.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { exportFileWith, previewImport } from "../support/data/account-files.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const exported = exportFileWith({
  tweet: [{ created_at: "2020-01-01T00:00:00.000Z", text: "Imported" }],
});

describe("small things", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const mia = await site.world.newcomer("mia");
    await mia.tweet("Press me");
    await mia.tweet("مرحبا @mia كيف الحال");
    const ab = await site.world.newcomer("ab");
    await ab.post("/settings/profile", { fullname: "A", bio: "friend of @mia" }).expect(303);
    await ab.tweet("Short");
  });
  afterAll(() => site.close());

  it("Reply focuses the field, on the same page too, and Escape leaves it", async () => {
    const { page } = await site.openPage("mia", { viewport: { width: 360, height: 780 } });
    await page.goto("/@ab");
    await page.locator("article a.reply").first().click();
    await page.locator("#text:focus").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#text:focus").count()).toBe(0);
    await page.locator(".tweet-large a.reply").click();
    await page.locator("#text:focus").waitFor();
  });

  it("on a phone the composer is one line until it is used, and stays open while it has a text", async () => {
    const viewport = { width: 360, height: 740 };
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await site.openPage("mia", { viewport, javaScriptEnabled });
      await page.goto("/");
      const button = page.locator("form.composer > button");
      expect(await button.isVisible()).toBe(false);
      await page.focus("#text");
      expect(await button.isVisible()).toBe(true);
      await page.keyboard.type("kept");
      await page.locator("#text").blur();
      expect(await button.isVisible()).toBe(true);
      await close();
    }
  });

  it("while an answer is late, the button says so; without one it is as before, and the text is kept", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/");
    const gate = new EventEmitter();
    await page.route("**/tweets", async (route) => {
      await once(gate, "open");
      await route.abort();
    });
    await page.fill("#text", "A slow one");
    const button = page.locator("form.composer > button");
    await button.click();
    await expect.poll(() => button.textContent()).toBe("Sending …");
    gate.emit("open");
    await page
      .getByRole("alert")
      .filter({ hasText: "Not confirmed. Your text is kept." })
      .waitFor();
    await expect.poll(() => button.textContent()).toBe("Tweet");
    expect(await page.inputValue("#text")).toBe("A slow one");
  });

  it("the message under an empty tweet goes when the user types", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/");
    await page.getByRole("main").getByRole("button", { name: "Tweet", exact: true }).click();
    await page.locator(".field-error").waitFor();
    await page.keyboard.type("a");
    await page.locator(".field-error").waitFor({ state: "detached" });
  });

  it("a website needs no https:// before it", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/settings/profile");
    await page.locator("#website").fill("mia.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator('.notice[role="status"]').waitFor();
    await page.goto("/@mia");
    await page.locator('a[href="https://mia.example/"]').waitFor();
  });

  for (const locale of ["en-GB", "ja-JP"])
    it(`the list of settings stands beside each on a desk, and before them on a phone: ${locale}`, async () => {
      for (const [width, isBeside] of [
        [1280, true],
        [360, false],
      ] as const) {
        const { page } = await site.openPage("mia", { locale, viewport: { width, height: 800 } });
        for (const path of ["/settings/account/recovery", "/settings/muted"]) {
          await page.goto(path);
          await page.locator(".back").waitFor();
          expect(await page.locator(".settings-groups").isVisible()).toBe(isBeside);
        }
        await page.locator(".back").click();
        await page.locator("main .settings-groups").waitFor();
        const scrolls = "document.documentElement.scrollWidth > innerWidth";
        await expect.poll(() => page.evaluate(scrolls)).toBe(false);
      }
    });

  it("the time stands right after a short name", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/@ab");
    const name = await lettersOf(page, "article .tweet-author span");
    const author = await page.locator("article .tweet-author").first().boundingBox();
    expect((author?.x ?? 0) + (author?.width ?? 0) - name).toBeLessThan(1);
  });

  it("an @name in a bio is a link, and its sign stays before it in a text from right to left", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/@ab");
    await page.locator('.profile-bio a[href="/@mia"]').waitFor();
    await page.goto("/@mia");
    const at = `(() => {
      const [text] = document.querySelector('.tweet-text a[href="/@mia"]').childNodes;
      const left = (index) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
      };
      return left(0) < left(1);
    })()`;
    await expect.poll(() => page.evaluate(at)).toBe(true);
  });

  it("a muted user's profile has a button to unmute in its notice", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/@ab");
    await page.locator(".profile .tweet-menu summary").click();
    await page.getByRole("button", { name: "Mute @ab" }).click();
    await page.locator(".profile-relation").getByRole("button", { name: "Unmute @ab" }).click();
    await page.locator(".profile-relation").waitFor({ state: "detached" });
  });

  it("the night theme is there as soon as it is saved, whatever the system asks for", async () => {
    const { page } = await site.openPage("ab", { colorScheme: "light" });
    const scheme = "getComputedStyle(document.documentElement).colorScheme";
    await page.goto("/settings/language");
    await page.getByLabel("Night").check();
    const form = page.locator('form[action="/settings/theme"]');
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your theme is saved.").waitFor();
    await expect.poll(() => page.evaluate(scheme)).toBe("dark");
    await page.goto("/explore");
    await expect.poll(() => page.evaluate(scheme)).toBe("dark");
  });

  it("the page of an import renews its progress", async () => {
    const { page } = await site.openPage("mia");
    const { ctx } = site.world;
    const { id: user } = await getUserByName(ctx, "mia");
    await previewImport(ctx, user, exported);
    const preview = await findImport(ctx, user);
    if (preview === undefined) throw new Error("no import");
    await saveWish(ctx, user, preview, { next: "running" });
    await page.goto("/settings/data");
    await page.locator("#import-progress", { hasText: "0 of 1" }).waitFor();
    const current = await findImport(ctx, user);
    if (current === undefined) throw new Error("no import");
    const progress = { ...current.progress, parts: 1, items: 1, done: true };
    await saveProgress(ctx, user, { id: current.id, progress });
    await page.locator("#import-progress", { hasText: "1 of 1" }).waitFor();
    await expect.poll(() => page.locator("[data-renew]").count()).toBe(0);
  });
});

/** Right edge of the first element's letters. */
async function lettersOf(page: Page, selector: string): Promise<number> {
  return await page.evaluate<number>(`(() => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(${JSON.stringify(selector)}));
    return range.getBoundingClientRect().right;
  })()`);
}
