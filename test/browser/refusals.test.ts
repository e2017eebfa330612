import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
