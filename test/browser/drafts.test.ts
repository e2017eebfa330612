import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeAllSessions } from "../../src/domain/users/sessions.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { password } from "../support/actors/visitor.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const send = (page: Page) => page.locator("form.composer > button").click();
const textIn = (page: Page) => page.locator("#text").inputValue();

/** The server acts, and the browser does not hear of it. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch({ maxRedirects: 0 });
  await route.abort();
}

async function logIn(page: Page, name: string): Promise<void> {
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
}

describe("drafts of the browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const ann = await site.world.newcomer("ann");
    await ann.tweet("Answer or quote me");
    for (const name of ["ben", "cas", "dot", "eve"]) await site.world.newcomer(name);
  });
  afterAll(() => site.close());

  for (const path of ["/", "/tweets/1", "/?quote=1"])
    it(`a tweet that meets an ended session is in the composer after the log-in: ${path}`, async () => {
      const { page } = await site.openPage("ben");
      await page.goto(path);
      await page.fill("#text", "Nearly lost");
      const { id } = await getUserByName(site.world.ctx, "ben");
      await closeAllSessions(site.world.ctx, id);
      await send(page);
      await page.waitForURL(/\/login/);
      // Another user of this browser does not see it.
      await logIn(page, "cas");
      await page.waitForURL((url) => url.pathname + url.search === path);
      await page.locator(".account").first().waitFor();
      expect(await textIn(page)).not.toContain("Nearly lost");
      await page.context().clearCookies();
      await page.goto(`/login?next=${encodeURIComponent(path)}`);
      await logIn(page, "ben");
      await expect.poll(() => textIn(page)).toBe("Nearly lost");
      await send(page);
      await page.locator("article", { hasText: "Nearly lost" }).first().waitFor();
      await expect.poll(() => page.evaluate("localStorage.length")).toBe(0);
    });

  it("a tweet whose answer was lost is posted once, also after the page was loaded again", async () => {
    const { page } = await site.openPage("dot");
    await page.goto("/");
    await page.route("**/tweets", loseAnswer, { times: 1 });
    await page.fill("#text", "Only once");
    await send(page);
    await page.locator(".unsent").waitFor();
    await page.goto("/");
    await expect.poll(() => textIn(page)).toBe("Only once");
    await send(page);
    await expect.poll(() => textIn(page)).toBe("");
    await page.goto("/@dot");
    expect(await page.locator("article", { hasText: "Only once" }).count()).toBe(1);
  });

  it("a log-out in another tab does not take what is sent after it", async () => {
    const { page, context } = await site.openPage("cas");
    await page.goto("/");
    await page.fill("#text", "Typed before");
    const other = await context.newPage();
    await other.goto("/");
    await other.evaluate(`document.querySelector('form[action="/logout"]').requestSubmit()`);
    await other.getByRole("link", { name: "Log in" }).first().waitFor();
    await send(page);
    await logIn(page, "cas");
    await expect.poll(() => textIn(page)).toBe("Typed before");
  });

  it("quotes and shared texts leave the draft of home as it is, and have their own", async () => {
    const { page } = await site.openPage("dot");
    await page.goto("/");
    await page.fill("#text", "Of home");
    await page.goto("/?quote=1");
    await expect.poll(() => textIn(page)).toContain("/tweets/1");
    await page.locator("#text").press("ControlOrMeta+Home");
    await page.keyboard.type("Look");
    await page.goto("/?text=Shared");
    await expect.poll(() => textIn(page)).toBe("Shared");
    await page.fill("#text", "Shared with a word");
    await page.goto("/?text=Another");
    await expect.poll(() => textIn(page)).toBe("Another");
    await page.goto("/?text=Shared");
    await expect.poll(() => textIn(page)).toBe("Shared with a word");
    await page.goto("/?quote=1");
    await expect.poll(() => textIn(page)).toMatch(/^Look\nhttp.*\/tweets\/1$/);
    await send(page);
    await page.waitForURL((url) => url.search === "");
    await expect.poll(() => textIn(page)).toBe("Of home");
  });

  it("a draft comes back with its warning and audience, and who may reply", async () => {
    const { page } = await site.openPage("eve");
    await page.goto("/");
    await page.fill("#text", "For few");
    await page.getByLabel("Who can see it").selectOption("followers");
    await page.getByLabel("Who can reply").selectOption("mentioned");
    await page.getByTitle("Content warning").click();
    await page.fill("#warning", "Spiders");
    await page.goto("/explore");
    await page.goto("/");
    await expect.poll(() => textIn(page)).toBe("For few");
    expect(await page.getByLabel("Who can see it").inputValue()).toBe("followers");
    expect(await page.getByLabel("Who can reply").inputValue()).toBe("mentioned");
    await page.locator("#warning").waitFor();
    expect(await page.inputValue("#warning")).toBe("Spiders");
    await page.locator(".field-hint", { hasText: "266 characters left" }).waitFor();
    await page.getByLabel("Who can see it").selectOption("unlisted");
    await page.goto("/");
    await expect.poll(() => page.getByLabel("Who can see it").inputValue()).toBe("unlisted");
    await send(page);
    await page.locator("article", { hasText: "Spiders" }).first().waitFor();
    await expect.poll(() => page.inputValue("#warning")).toBe("");
    expect(await page.getByLabel("Who can see it").inputValue()).toBe("public");
  });

  it("after a saved draft is deleted, the next page says so", async () => {
    const { page } = await site.openPage("eve");
    await page.goto("/");
    await page.fill("#text", "For later");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL("**/drafts/*");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("**/drafts");
    await page.getByRole("status").filter({ hasText: "Deleted." }).waitFor();
  });
});
