import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeAllSessions } from "../../src/domain/users/sessions.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { password } from "../support/actors/visitor.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("a session that ended elsewhere", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const ann = await site.world.newcomer("ann");
    await ann.tweet("Delete me");
    await site.world.newcomer("bob");
  });
  afterAll(() => site.close());

  async function endSessions(): Promise<void> {
    const { ctx } = site.world;
    await closeAllSessions(ctx, (await getUserByName(ctx, "ann")).id);
  }

  it("a message stays as it was typed, and is sent after a log-in in another tab", async () => {
    const { page, context } = await site.openPage("ann", { reducedMotion: "reduce" });
    await page.goto("/messages/new?to=bob");
    await page.getByRole("button", { name: "Next" }).click();
    const text = page.getByLabel("Your message");
    await text.fill("Nearly lost");
    await endSessions();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const said = page.getByRole("alert").filter({ hasText: "Your text is kept." });
    await said.waitFor();
    expect(await text.inputValue()).toBe("Nearly lost");
    expect(await findAccessibilityProblems(page, "logged out")).toEqual([]);
    const opened = context.waitForEvent("page");
    await said.getByRole("link", { name: "Log in" }).click();
    const other = await opened;
    await other.getByLabel("Username").fill("ann");
    await other.getByLabel("Password").fill(password);
    await other.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
    await other.getByLabel("Your message").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("article").filter({ hasText: "Nearly lost" }).waitFor();
  });

  it("nothing is said to be deleted that is not", async () => {
    const { page } = await site.openPage("ann");
    await page.goto("/tweets/1");
    await page.locator(".tweet-menu > summary").click();
    await endSessions();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Username").waitFor();
    await page.waitForTimeout(500);
    expect(await page.getByRole("status").filter({ hasText: "Deleted." }).count()).toBe(0);
  });
});
