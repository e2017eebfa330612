import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { picture } from "../support/data/pictures.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("pictures in a browser", () => {
  let site: BrowserSite;
  let files: { name: string; mimeType: string; buffer: Buffer }[];
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("writer");
    const [wide, tall] = await Promise.all([
      picture("jpeg", { width: 1200, height: 600 }),
      picture("png", { width: 500, height: 900 }),
    ]);
    files = [
      { name: "wide.jpg", mimeType: "image/jpeg", buffer: wide },
      { name: "tall.png", mimeType: "image/png", buffer: tall },
    ];
  });
  afterAll(() => site.close());

  for (const javaScriptEnabled of [true, false])
    it(`pictures are posted and looked at ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      const { page, problems } = await site.openPage("writer", {
        javaScriptEnabled,
        reducedMotion: "reduce",
      });
      const text = `Two walls ${javaScriptEnabled}`;
      await page.goto("/");
      await page.locator("#text").fill(text);
      await page.locator(".composer-pictures summary").click();
      await page.locator("#pictures").setInputFiles(files);
      await page.locator("#description_2").fill("A tall wall");
      await expect.poll(() => page.locator("#description_3").isVisible()).toBe(!javaScriptEnabled);
      const found: string[] = [];
      if (javaScriptEnabled) found.push(...(await findAccessibilityProblems(page, "composer")));
      await page.getByRole("button", { name: "Tweet", exact: true }).click();
      const tweet = page.locator("article", { hasText: text }).first();
      await tweet.waitFor();
      const shown = tweet.locator(".pictures img:not(.picture-blur)");
      await expect.poll(() => shown.count()).toBe(2);
      await tweet.getByRole("link", { name: "Picture 1 of 2" }).click();
      await page.locator(".picture-view img").waitFor();
      if (javaScriptEnabled) {
        await page.locator("dialog.picture-dialog[open]").waitFor();
        await page.keyboard.press("ArrowRight");
        await page.locator("dialog figcaption", { hasText: "A tall wall" }).waitFor();
        found.push(...(await findAccessibilityProblems(page, "dialog")));
        await page.keyboard.press("Escape");
        await page.locator("dialog.picture-dialog").waitFor({ state: "detached" });
      } else {
        await page.getByRole("link", { name: "Next picture" }).click();
        await page.locator("figcaption", { hasText: "A tall wall" }).waitFor();
      }
      expect([found, problems]).toEqual([[], []]);
    });

  it("a picture opens in a dialog at the first tap of a finger", async () => {
    const { page } = await site.openPage("writer", { hasTouch: true });
    await page.goto("/@writer", { waitUntil: "networkidle" });
    await page.getByRole("link", { name: "Picture 1 of 2" }).first().tap();
    await page.locator("dialog.picture-dialog[open] .picture-view").waitFor();
    expect(new URL(page.url()).pathname).toBe("/@writer");
  });

  it("the dialog of a picture has a name and a button that closes it, also while it loads", async () => {
    const { page, problems } = await site.openPage("writer", { reducedMotion: "reduce" });
    await page.goto("/@writer");
    const gate = new EventEmitter();
    await page.route("**/pictures/2", async (route) => {
      await once(gate, "open");
      await route.continue();
    });
    const dialog = page.getByRole("dialog", { name: "A tall wall" });
    const open = () => page.getByRole("link", { name: "A tall wall" }).first().click();
    await open();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    gate.emit("open");
    await open();
    await dialog.getByRole("button", { name: "Close" }).waitFor();
    expect(await dialog.locator("img").count()).toBe(0);
    expect(await findAccessibilityProblems(page, "empty dialog")).toEqual([]);
    gate.emit("open");
    await dialog.locator("img").waitFor();
    await dialog.locator("button:focus").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("dialog", { name: "Picture 1 of 2" }).getByRole("link").waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.getByRole("dialog").locator("img").count()).toBe(1);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    expect(problems).toEqual([]);
  });

  it("a pasted picture is attached, and needs no text", async () => {
    const { page, problems } = await site.openPage("writer");
    await page.goto("/");
    await page.locator("#text").focus();
    // The script for pictures has arrived.
    await page.locator(".field[hidden] #description_1").waitFor({ state: "attached" });
    const [{ buffer } = { buffer: Buffer.alloc(0) }] = files;
    // As office programs copy: a text, and a picture of it.
    await page.evaluate(`(${paste})("${buffer.toString("base64")}", "a cell")`);
    await page.evaluate(`(${paste})("${buffer.toString("base64")}")`);
    expect(await page.evaluate("document.querySelector('[name=pictures]').files.length")).toBe(1);
    await page.locator("#description_1").fill("From the clipboard");
    await page.getByRole("button", { name: "Tweet", exact: true }).click();
    await page.getByRole("link", { name: "From the clipboard" }).first().waitFor();
    await page.goto("/");
    // The description was not taken for a draft.
    await expect.poll(() => page.locator("#text").inputValue()).toBe("");
    expect(problems).toEqual([]);
  });

  it("a fifth picture is not attached, which is said", async () => {
    const { page, problems } = await site.openPage("writer");
    await page.goto("/");
    await page.locator(".composer-pictures summary").click();
    await page.locator("#pictures").setInputFiles(files);
    // The script for pictures has arrived.
    await page.locator(".field[hidden] #description_3").waitFor({ state: "attached" });
    await page.locator("#text").focus();
    const [{ buffer } = { buffer: Buffer.alloc(0) }] = files;
    const counts: unknown[] = [];
    for (let nth = 0; nth < 3; nth++) {
      expect(await page.locator("#toast p").count()).toBe(0);
      await page.evaluate(`(${paste})("${buffer.toString("base64")}")`);
      counts.push(await page.evaluate("document.querySelector('[name=pictures]').files.length"));
    }
    expect(counts).toEqual([3, 4, 4]);
    await page.locator("#toast", { hasText: "Up to four" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("a kept picture without its tick has no field; the other descriptions stay where they are", async () => {
    const { page, problems } = await site.openPage("writer");
    await page.goto("/");
    await page.locator(".composer-pictures summary").click();
    await page.locator("#pictures").setInputFiles(files);
    await page.locator("#description_2").fill("The second wall");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL("**/drafts/*");
    await page.getByLabel("Picture 1", { exact: true }).uncheck();
    const areShown = () =>
      Promise.all([1, 2, 3].map((one) => page.locator(`#description_${one}`).isVisible()));
    await expect.poll(areShown).toEqual([false, true, false]);
    expect(await page.locator("#description_2").inputValue()).toBe("The second wall");
    await page.locator("#pictures").setInputFiles(files.slice(0, 1));
    await expect.poll(areShown).toEqual([false, true, true]);
    expect(problems).toEqual([]);
  });

  it("the profile picture in the settings is as small as elsewhere", async () => {
    const { page } = await site.openPage("writer");
    await page.goto("/settings/profile");
    const box = await page.locator(".picture-choice .avatar").boundingBox();
    expect(box).toMatchObject({ width: 80, height: 80 });
  });

  it("nothing jumps while pictures load", async () => {
    const { page } = await site.openPage("writer");
    await page.goto("/@writer");
    await page.waitForTimeout(500);
    await expect.poll(() => page.evaluate(shift)).toBeLessThan(0.02);
  });
});

/** In the page. */
const paste = `(encoded, text) => {
  const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
  const clipboardData = new DataTransfer();
  if (text) clipboardData.setData("text/plain", text);
  clipboardData.items.add(new File([bytes], "pasted.jpg", { type: "image/jpeg" }));
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
}`;
const shift = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(0), 300);
})`;
