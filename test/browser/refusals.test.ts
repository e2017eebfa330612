import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { draftsOf } from "../../src/domain/tweets/saved-drafts.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("refused forms in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("mia");
  });
  afterAll(() => site.close());

  it("a refused form shows its first error and focuses its field, wherever the button was", async () => {
    const { page } = await site.openPage(undefined, { viewport: { width: 360, height: 480 } });
    await page.goto("/signup");
    await page.fill("#name", "mia");
    await page.fill("#fullname", "Another Mia");
    await page.fill("#password", "a long enough horse 1");
    await page.locator("form.panel button[type=submit]").click();
    await page.locator("#name:focus").waitFor();
    const box = await page.locator("#name-error").boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(480);
  });

  describe("on a page from before an upgrade of the site", () => {
    // A page of another version has other addresses of its script and styles.
    const makeOld = `document.querySelector("script[data-turbo-track]").dataset.old = ""`;

    it("a refused form keeps what was typed", async () => {
      const { page } = await site.openPage();
      await page.goto("/signup");
      await page.evaluate(makeOld);
      await page.fill("#name", "mia");
      await page.fill("#fullname", "Another Mia");
      await page.fill("#password", "a long enough horse 1");
      await page.locator("form.panel button[type=submit]").click();
      await page.locator("#name-error").waitFor();
      expect(await page.inputValue("#fullname")).toBe("Another Mia");
    });

    it("a button that asks for another form shows it", async () => {
      const { page } = await site.openPage("mia");
      await page.goto("/#text");
      await page.evaluate(makeOld);
      await page.fill("#text", "Which one?");
      await page.locator('button[name="ask_poll"]').click();
      await page.locator("#poll_seconds").waitFor();
      expect(await page.inputValue("#text")).toBe("Which one?");
    });

    it("a page of an error does not run the script a second time", async () => {
      const many = await site.world.newcomer("many");
      for (const text of ["one", "two", "three"]) await many.tweet(text);
      const { page } = await site.openPage("mia");
      await page.goto("/@many");
      await page.route(/\/(tweets\/999999|@many)$/, async (route) => {
        const answer = await route.fetch();
        const html = (await answer.text()).replace(/app-[\w-]+\.js/, "app-AAAAAAAA.js");
        await route.fulfill({ response: answer, body: html });
      });
      await page.evaluate(`{
        const link = document.createElement("a");
        link.href = "/tweets/999999";
        link.textContent = "To nothing";
        document.querySelector("main").prepend(link);
      }`);
      await page.getByRole("link", { name: "To nothing" }).click();
      await page.locator(".error-page").waitFor();
      await page.evaluate(`{
        const link = document.createElement("a");
        link.href = "/@many";
        link.textContent = "Back to many";
        document.querySelector("main").prepend(link);
      }`);
      await page.getByRole("link", { name: "Back to many" }).click();
      await page.locator("article", { hasText: "three" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      expect(await page.locator("article:focus, article:focus-within").innerText()).toContain(
        "two",
      );
    });
  });

  it("a button that asks for a poll leads to its first choice", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/#text");
    await page.fill("#text", "Which one?");
    await page.locator('button[name="ask_poll"]').click();
    await page.locator('[name="choice_1"]:focus').waitFor();
  });

  it("a page after a deletion does not jump to an older error", async () => {
    const { ctx } = site.world;
    const { page } = await site.openPage("mia", { viewport: { width: 360, height: 480 } });
    const { id } = await getUserByName(ctx, "mia");
    for (let nth = 0; nth < 7; nth += 1) await saveDraft(ctx, id, { text: `Draft ${nth}` });
    const draft = await saveDraft(ctx, id, { text: "Not sent" });
    await draftsOf(ctx, id).change(draft.id, (one) => ({ ...one, problem: "draft.ended" }));
    await page.goto("/drafts");
    await page.locator(".form-error").first().waitFor({ state: "attached" });
    page.on("dialog", (dialog) => void dialog.accept());
    const before = await page.locator('button:has-text("Delete")').count();
    const last = page.locator('button:has-text("Delete")').last();
    await last.scrollIntoViewIfNeeded();
    const scrolled = Number(await page.evaluate("scrollY"));
    await last.click();
    await expect.poll(() => page.locator('button:has-text("Delete")').count()).toBe(before - 1);
    expect(Number(await page.evaluate("scrollY"))).toBeGreaterThan(scrolled / 2);
  });

  it("after a refused form the line of new tweets counts from what the page shows", async () => {
    const writer = await site.world.newcomer("writer");
    const { page } = await site.openPage("mia");
    await page.goto("/@writer");
    await page.getByRole("button", { name: "Follow" }).first().click();
    await page.getByRole("button", { name: "Unfollow" }).first().waitFor();
    await page.goto("/");
    const pill = page.locator("a.live-pill");
    for (const text of ["one", "two"]) {
      await writer.tweet(text);
      await site.world.delivered();
      await expect.poll(() => pill.textContent()).toBe("1 new tweet");
      if (text === "two") break;
      await page.locator('button[name="ask_poll"]').click();
      await page.locator("#poll_seconds").waitFor();
    }
  });

  it("a wrong password at the end of an account is told at its field", async () => {
    const { page } = await site.openPage("mia");
    await page.goto("/settings/account/delete");
    await page.fill("#name", "mia");
    await page.fill("#password", "a wrong horse 1");
    await page.locator('form[action="/settings/account/delete"] button[type=submit]').click();
    await page.locator("#password:focus").waitFor();
    const said = await page.locator("#password-error").innerText();
    expect(said).toBe("That is not your current password.");
    expect(await page.locator(".unsent").count()).toBe(0);
  });
});
