import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("presses while a text is being sent", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    const ann = await site.world.newcomer("ann");
    for (const text of ["First", "Second"]) await ann.tweet(text);
  });
  afterAll(() => site.close());

  /** Sends a tweet, which is under way until the gate opens, and likes and bookmarks others. */
  async function press(text: string, liked: string) {
    const { page } = await site.openPage("ann");
    const gate = new EventEmitter();
    let isLost = false;
    await page.route("**/tweets", async (route) => {
      await once(gate, "open");
      await (isLost ? route.abort() : route.continue());
    });
    await page.goto("/");
    const article = (words: string) => page.locator("article", { hasText: words });
    const sent = page.waitForRequest("**/tweets");
    await page.fill("#text", text);
    await page.locator("form.composer > button").click();
    await sent;
    for (const [button, title] of [
      [".like", "Unlike"],
      [".bookmark", "Remove bookmark"],
    ] as const) {
      await article(liked).locator(button).click();
      await article(liked).locator(`[title="${title}"]`).waitFor();
    }
    const open = (loses: boolean) => {
      isLost = loses;
      gate.emit("open");
    };
    return { page, article, open };
  }

  it("a tweet arrives once, its page is shown, and presses count", async () => {
    const { page, article, open } = await press("On its way", "First");
    open(false);
    await article("On its way").waitFor();
    await expect.poll(() => page.inputValue("#text")).toBe("");
    await page.goto("/");
    expect(await article("On its way").count()).toBe(1);
    expect(await page.inputValue("#text")).toBe("");
    expect(await article("First").locator('[title="Unlike"]').count()).toBe(1);
  });

  it("a tweet that is lost is told of beside its text", async () => {
    const { page, open } = await press("Lost on its way", "Second");
    open(true);
    await page.locator(".unsent").waitFor();
    expect(await page.inputValue("#text")).toBe("Lost on its way");
  });
});
